import { Command, CommanderError } from 'commander';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { programVersion } from '../../daemon/version-info.ts';
import { ExitError } from '../../model/exit-error.ts';
import { isDiskFull } from '../../model/failure.ts';
import { limits } from '../../model/limits.ts';
import { invocation } from '../terminal/invocation.ts';
import { flushOutput, note, OutputClosed, print, watchOutput } from '../terminal/output.ts';
import type { CommandGroup } from './command.ts';
import { addCommand } from './commander.ts';
import { completionLines } from './completion.ts';
import { addSettingFlags } from './context.ts';

const usage = 64;

/**
 * Runs one command line and says what went wrong in a sentence, never in a stack trace (WAYPOINTD_LOG_LEVEL=debug shows
 * it).
 * @param words the words after the program's name.
 * @returns the exit code (contract A), unless a command has set its own.
 */
export async function runProgram(
  groups: readonly CommandGroup[],
  words: readonly string[],
): Promise<number> {
  watchOutput();
  try {
    if (words[0] === completionCommand) return await complete(groups, words.slice(1));
    const given = readWords(words);
    const program = await buildProgram(groups, given[0]);
    if (words[0] === 'help') refuseUnknownCommand(program, words.slice(1));
    await program.parseAsync(given, { from: 'user' });
    await flushOutput();
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return report(error);
  }
}

/** The entry for completion scripts. Any word is allowed, also those that commander would read as options. */
const completionCommand = '__complete';

async function complete(
  groups: readonly CommandGroup[],
  words: readonly string[],
): Promise<number> {
  const program = await buildProgram(groups, words.length > 1 ? words[0] : undefined);
  for (const line of completionLines(program, words)) await print(line);
  await flushOutput();
  return 0;
}

/**
 * The program as commander knows it.
 * @param name a command that is loaded alone: the others are half of the time that a short one takes. All are loaded for
 * any other word.
 */
export async function buildProgram(
  groups: readonly CommandGroup[],
  name?: string,
): Promise<Command> {
  const program = emptyProgram();
  const wanted = groups.filter(({ commands }) => Object.hasOwn(commands, name ?? ''));
  for (const { heading, commands } of wanted.length > 0 ? wanted : groups) {
    program.commandsGroup(heading);
    for (const [known, load] of Object.entries(commands)) {
      if (wanted.length === 0 || known === name) addCommand(program, (await load()).command);
    }
  }
  return program;
}

function emptyProgram(): Command {
  const program = new Command('waypointd')
    .description(
      'Your waypoints, kept on this machine: bookmarks, imported files, tags and search.',
    )
    .version(programVersion(), '-V, --version', 'print the version number')
    .helpOption('-h, --help', 'explain a command')
    .usage('COMMAND [ARGUMENTS]')
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('"waypointd help COMMAND" explains a command.')
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /u, 'waypointd: ')),
    })
    // `help` is read before commander sees it: its own knows one level of commands only.
    .helpCommand(false)
    .configureHelp({ helpWidth: 100, subcommandTerm: termOf })
    .addHelpText('after', overview);
  addSettingFlags(program);
  return program;
}

/** A command with its arguments; that it has options goes without saying. */
export function termOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const word = argument.name() + (argument.variadic ? '...' : '');
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  return [command.name(), ...words].join(' ');
}

function overview(): string {
  const called =
    invocation() === 'waypointd' ? '' : `\n\nHere waypointd is called as: ${invocation()}`;
  return examples + called;
}

const examples = `
Examples:
  waypointd serve                                  run the daemon in this terminal
  waypointd import ~/tracks -r                     import a folder of GPX files
  waypointd bookmark add "Camp" 42.1 -8.3 --tag home
  waypointd list --tag home
  waypointd export -o all.gpx

"waypointd help COMMAND" explains a command. Settings such as --port and --data-dir work with every
command; "waypointd config --help" lists them.`;

/** `help bookmark add` is `bookmark add --help`. */
function readWords(words: readonly string[]): string[] {
  const [first, ...others] = words;
  const meant = first === 'help' ? [...others, '--help'] : words;
  return meant.map(protectNegative);
}

/** Asked to explain a command that is not there, commander would explain what is above it. @throws CommanderError */
function refuseUnknownCommand(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    // `help help` explains the program; a command without others may be followed by anything.
    if (word.startsWith('-') || word === 'help' || command.commands.length === 0) return;
    const found = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (found === undefined) program.error(`error: unknown command '${word}'`);
    command = found;
  }
}

/** commander takes `-8.3,42.1` for an option; a blank in front makes it the position it is. */
function protectNegative(word: string): string {
  return /^-(?:\d|\.\d)/u.test(word) && !Number.isFinite(Number(word)) ? ` ${word}` : word;
}

async function report(error: unknown): Promise<number> {
  if (error instanceof OutputClosed) return 0;
  // commander has printed its own sentence; asking for help is no mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usage;
  note(`waypointd: ${sentenceOf(error)}`);
  if (process.env['WAYPOINTD_LOG_LEVEL'] === 'debug') console.error(error);
  if (error instanceof ExitError) return error.exitCode;
  return error instanceof RequestFailure && error.isImpostor ? 75 : 1;
}

function sentenceOf(error: unknown): string {
  if (error instanceof RequestFailure) return apiSentence(error);
  if (error instanceof ExitError) return error.message;
  if (isDiskFull(error)) {
    return `No space is left on the disk. Make room there and try again; "${invocation()} doctor" shows where it is short.`;
  }
  const reason = error instanceof Error ? error.message : String(error);
  return `Something went wrong: ${reason}\nWAYPOINTD_LOG_LEVEL=debug shows where.`;
}

function apiSentence({ sentence: message, code, field }: RequestFailure): string {
  if (field === undefined) return message;
  // Fields that the user did not write have no rule to show.
  const rule = code === 'invalid' ? new Map(Object.entries(fieldRules())).get(field) : undefined;
  if (rule !== undefined) return `${message.replace(/\.$/u, '')}: ${rule}.`;
  return message.includes(field) ? message : `${message} (${field})`;
}

const position = 'latitudes are from -90 to 90, longitudes from -180 to 180, in degrees';
const name = `a name has 1 to ${limits.nameCodePoints} characters, none of them a line break or another control character`;
const tag = `a tag has 1 to ${limits.tagCodePoints} characters, none of them a line break or another control character`;
const query = `a search has at most ${limits.queryCodePoints} characters, none of them a line break or another control character, and not both AND and OR between tags`;
const date = `a date is written as 2024-06-01, or with a time: 2024-06-01T12:00:00Z`;
const sources = 'no imported file has this number; "imports list" shows them';
const time = 'a time is written as 2024-06-01T12:00:00Z';

/**
 * Rules for the fields of a request: the API's own sentence only says that one is not valid. Made on demand: formatting
 * numbers loads some MB that no daemon needs.
 */
const fieldRules = (): Readonly<Record<string, string>> => ({
  name,
  oldName: name,
  newName: name,
  tag,
  tags: `${tag}, and there are at most ${limits.tagsPerRequest.toLocaleString('en-US')} at once`,
  desc: `a note has at most ${limits.descCodePoints.toLocaleString('en-US')} characters`,
  lat: position,
  lon: position,
  newLat: position,
  newLon: position,
  bbox: 'a box is west,south,east,north in degrees, its south not above its north',
  q: query,
  query,
  time,
  from: date,
  to: date,
  sources,
  exclude_sources: sources,
});
