import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

const load = (name: string) => import(pathToFileURL(join(PACKAGE_ROOT, "bin", name)).href);

t.test("every vendored file is listed with source, license and checksum", async (t) => {
	const { checkVendored, compareVendored } = await load("vendored-files.mjs");
	t.same(checkVendored(), [], "node bin/vendored-files.mjs --write takes new checksums");
	const listed = { folder: "vendor/a", source: "https://example.org", license: "MIT" };
	const files = { "vendor/a/one.js": "1", "vendor/a/gone.js": "2" };
	const found = compareVendored([{ ...listed, license: "", files }], {
		files: ["vendor/a/one.js", "vendor/a/new.js"],
		checksumOf: () => "changed",
	});
	t.same(found, [
		"vendor/a has no source or no license.",
		"vendor/a/new.js is not listed.",
		"vendor/a/gone.js is listed, and not there.",
		"vendor/a/one.js has changed.",
	]);
});

const component = (group: string, name: string) => ({
	"bom-ref": `${group ? `${group}/` : ""}${name}@1.0.0`,
	...(group && { group }),
	name,
	version: "1.0.0",
	scope: "optional",
	properties: [{ name: "cdx:npm:package:development", value: "true" }],
});

t.test("a bill of materials has what is shipped, and nothing else", async (t) => {
	const { toBillOfMaterials } = await load("bill-of-materials.mjs");
	const bom = {
		bomFormat: "CycloneDX",
		metadata: { component: { name: "some-folder", version: "2.0.0" } },
		components: [component("@scope", "shipped"), component("", "base"), component("", "tool")],
		dependencies: [
			{ ref: "@scope/shipped@1.0.0", dependsOn: ["base@1.0.0", "tool@1.0.0"] },
			{ ref: "tool@1.0.0", dependsOn: [] },
		],
	};
	const bundled = ["@scope/shipped", "base"].map((name) => ({ name, version: "1.0.0" }));
	const own = { name: "tollgraph", version: "2.0.0" };
	const made = toBillOfMaterials(bom, bundled, own);
	t.match(made, {
		bomFormat: "CycloneDX",
		metadata: { component: { name: "tollgraph", purl: "pkg:npm/tollgraph@2.0.0" } },
		components: [
			{ name: "shipped", scope: "required", properties: [] },
			{ name: "base", scope: "required" },
		],
		dependencies: [
			{ ref: "tollgraph@2.0.0", dependsOn: ["@scope/shipped@1.0.0", "base@1.0.0"] },
			{ ref: "@scope/shipped@1.0.0", dependsOn: ["base@1.0.0"] },
		],
	});
	t.equal(made.components.length, 2);
	t.throws(
		() => toBillOfMaterials(bom, [{ name: "other", version: "1.0.0" }], own),
		/does not have other@1\.0\.0/,
	);
});
