import { legacyCommand } from '../program/command.ts';
import type { Command } from 'commander';
import type { Finding, FindingLevel } from '../doctor/finding.ts';
import { ExitError } from '../../model/exit-error.ts';
import { commandContext, type CommandContext } from '../program/context.ts';
import { print, printJson } from '../terminal/output.ts';
import { forTerminal } from '../terminal/table.ts';
import { counted } from '../terminal/wording.ts';

interface DoctorOptions {
  readonly full?: boolean;
  readonly json?: boolean;
}

/** `waypointd doctor` */
function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('look for what is wrong, and say what to do')
    .description(
      'Looks at the data, the directories, the daemon, its port and service, geodata, location, clock and\ndisk, and says what to do about what it finds. It changes nothing and prints no place, no name and\nno token. The exit code is 1 when there is a problem.',
    )
    .option('--full', 'check the indexes of the databases as well, which takes longer')
    .option('--json', 'print JSON')
    .action(async (options: DoctorOptions, command: Command) => {
      const findings = await findAll(command, options);
      const problems = findings.filter(({ level }) => level === 'problem').length;
      const warnings = findings.filter(({ level }) => level === 'warning').length;
      if (problems > 0) process.exitCode = 1;
      if (options.json === true) {
        return printJson({ healthy: problems === 0, problems, warnings, findings });
      }
      await show(findings);
      await print();
      await print(verdict(problems, warnings));
    });
}

async function findAll(command: Command, { full }: DoctorOptions): Promise<Finding[]> {
  let context: CommandContext;
  try {
    context = commandContext(command);
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    // Without the settings nobody knows where to look.
    return [{ area: 'settings', level: 'problem', text: error.message }];
  }
  const { examine } = await import('../doctor/doctor.ts');
  return examine(context, { isThorough: full === true, now: Date.now() });
}

const marks: Readonly<Record<FindingLevel, string>> = {
  ok: 'ok',
  note: 'note',
  warning: 'warning',
  problem: 'PROBLEM',
};

async function show(findings: readonly Finding[]): Promise<void> {
  const width = Math.max(...findings.map(({ area }) => area.length));
  for (const { area, level, text, remedy } of findings) {
    const head = `${marks[level].padEnd(8)} ${area.padEnd(width)}  `;
    await print(forTerminal(head + text));
    if (remedy !== undefined) await print(forTerminal(`${' '.repeat(head.length)}→ ${remedy}`));
  }
}

function verdict(problems: number, warnings: number): string {
  if (problems === 0 && warnings === 0) return 'Everything is in order.';
  const found = [
    ...(problems > 0 ? [counted(problems, 'problem')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  return `${found.join(' and ')}.`;
}

export const command = legacyCommand('doctor', registerDoctor);
