import { ExitError } from '../../model/exit-error.ts';
import type { Finding, FindingLevel } from '../doctor/finding.ts';
import { defineCommand, type Call } from '../program/command.ts';
import { counted } from '../terminal/text.ts';

export const command = defineCommand({
  name: 'doctor',
  summary: 'look for what is wrong, and say what to do',
  description:
    'Looks at the data, the directories, the daemon, its port and service, geodata, location, clock and disk, and says what to do about what it finds. It changes nothing and prints no place, no name and no token. The exit code is 1 when there is a problem.',
  options: {
    '--full': 'check the indexes of the databases as well, which takes longer',
  },
  async run(call) {
    const findings = await findAll(call, call.options.full);
    const count = (wanted: FindingLevel) => findings.filter(({ level }) => level === wanted).length;
    const problems = count('problem');
    return { healthy: problems === 0, problems, warnings: count('warning'), findings };
  },
  isFailure: ({ healthy }) => !healthy,
  *show({ problems, warnings, findings }) {
    yield* linesOf(findings);
    const found = [
      ...(problems > 0 ? [counted(problems, 'problem')] : []),
      ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
    ];
    yield '';
    yield `${found.length === 0 ? 'Everything is in order' : found.join(' and ')}.`;
  },
});

async function findAll(call: Pick<Call, 'context'>, isThorough: boolean): Promise<Finding[]> {
  try {
    const { context } = call;
    const { examine } = await import('../doctor/doctor.ts');
    return await examine(context, { isThorough, now: Date.now() });
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    // Without the settings there is no telling where to look.
    return [{ area: 'settings', level: 'problem', text: error.message }];
  }
}

const marks: Readonly<Record<FindingLevel, string>> = {
  ok: 'ok',
  note: 'note',
  warning: 'warning',
  problem: 'PROBLEM',
};

function* linesOf(findings: readonly Finding[]): Generator<string> {
  const width = Math.max(...findings.map(({ area }) => area.length));
  for (const { area, level, text, remedy } of findings) {
    const head = `${marks[level].padEnd(8)} ${area.padEnd(width)}  `;
    yield head + text;
    if (remedy !== undefined) yield `${' '.repeat(head.length)}→ ${remedy}`;
  }
}
