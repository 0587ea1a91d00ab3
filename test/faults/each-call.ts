/**
 * Calls whose order says what a crash leaves. Each thread counts its own: the n-th of a kind, in whichever thread comes to it
 * first.
 */
const kinds = {
  sync: 'fsync,fdatasync',
  name: 'rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir',
};

/** Words of strace that kill at one call. */
export type Injection = readonly string[];

/**
 * Does the same again, killed at each call of each kind in turn, until there is no further one.
 * @param stride every how many calls one is killed: 1 for each.
 * @param work says whether it came to that call.
 * @returns how often it was killed.
 */
export async function atEachCall(
  stride: number,
  work: (named: string, inject: Injection) => Promise<boolean>,
): Promise<number> {
  let kills = 0;
  for (const [kind, calls] of Object.entries(kinds)) {
    for (let count = 1; ; count += stride) {
      const inject = ['-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL:when=${count}`];
      if (!(await work(`${kind} ${count}`, inject))) break;
      kills += 1;
    }
  }
  return kills;
}
