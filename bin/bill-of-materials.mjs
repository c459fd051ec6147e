// What a package is made of, as CycloneDX: of all that npm knows in the lockfile, the packages that are in the bundle.

/** Marks of packages that are for development: those that are bundled are shipped. */
const DEVELOPMENT = "cdx:npm:package:development";

/**
 * `bom` is npm's own for the lockfile (`npm sbom --package-lock-only`), `bundled` what the bundle says it has. Throws when a bundled package is
 * not in it: then the bundle was built from other packages.
 */
export function toBillOfMaterials(bom, bundled, { name, version }) {
	const wanted = new Set(bundled.map((one) => `${one.name}@${one.version}`));
	const components = new Map(
		bom.components
			.map((component) => [idOf(component), component])
			.filter(([id]) => wanted.has(id))
			.map(([id, component]) => [id, shipped(component)]),
	);
	const missing = [...wanted].filter((id) => !components.has(id));
	if (missing.length > 0) throw new Error(`The lockfile does not have ${missing.join(", ")}.`);
	const refs = new Set([...components.values()].map((component) => component["bom-ref"]));
	const root = `${name}@${version}`;
	const own = { ...bom.metadata.component, "bom-ref": root, type: "application", name };
	return {
		...bom,
		metadata: { ...bom.metadata, component: { ...own, purl: `pkg:npm/${name}@${version}` } },
		components: [...components.values()],
		dependencies: [
			{ ref: root, dependsOn: [...refs].sort() },
			...bom.dependencies
				.filter(({ ref }) => refs.has(ref))
				.map(({ ref, dependsOn = [] }) => ({
					ref,
					dependsOn: dependsOn.filter((other) => refs.has(other)),
				})),
		],
	};
}

function idOf({ group, name, version }) {
	return `${group ? `${group}/` : ""}${name}@${version}`;
}

function shipped({ properties = [], ...component }) {
	return {
		...component,
		scope: "required",
		properties: properties.filter(({ name }) => name !== DEVELOPMENT),
	};
}
