/** The parts of npm's CycloneDX document that we use. */
export interface Bom {
  readonly serialNumber?: string;
  readonly metadata?: {
    readonly timestamp?: string;
    readonly component?: { readonly 'bom-ref'?: string };
  };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly name: string;
    readonly version: string;
  }[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
}

/**
 * Keeps, of all that is installed in a clone, what the package has in its bundle or npm installs beside it. Leaves out
 * number and time, so that each build of a version is the same.
 * @param packages `name@version`
 * @throws Error where the document does not know one of them.
 */
export function withPackages(bom: Bom, packages: readonly string[]): Bom {
  const nameOf = ({ name, version }: Bom['components'][number]): string => `${name}@${version}`;
  const components = bom.components.filter((component) => packages.includes(nameOf(component)));
  const found = new Set(components.map(nameOf));
  const missing = packages.filter((one) => !found.has(one));
  if (missing.length > 0) throw new Error(`not in the list of npm: ${missing.join(', ')}`);
  const root = bom.metadata?.component?.['bom-ref'];
  const kept = new Set([root, ...components.map((component) => component['bom-ref'])]);
  const dependencies = bom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => kept.has(one)),
    }));
  const { serialNumber: _, metadata: { timestamp: __, ...metadata } = {}, ...same } = bom;
  return { ...same, metadata, components, dependencies };
}
