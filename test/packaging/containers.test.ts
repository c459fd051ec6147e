import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { SETTING_ROWS } from "../../src/settings/setting-rows.js";
import { readExample } from "./reverse-proxy.js";

const dockerfile = readExample("Dockerfile").replaceAll("\\\n", " ");

interface Service {
	readonly image?: string;
	readonly build?: { readonly context: string; readonly dockerfile: string };
	readonly environment?: Readonly<Record<string, string>>;
	readonly read_only?: boolean;
	readonly cap_drop?: readonly string[];
	readonly volumes?: readonly string[];
}

interface Compose {
	readonly services: Readonly<Record<string, Service>>;
	readonly volumes: object;
}

t.test("an image runs as no superuser, says how it is, and installs nothing as it runs", (t) => {
	const [, last = ""] = /.*(FROM node:20-bookworm-slim\n.*)$/s.exec(dockerfile) ?? [];
	t.match(last, /^USER node$/m);
	t.match(last, /^HEALTHCHECK .*\/v1\/ready/m);
	t.match(last, /^ENTRYPOINT \["tollgraph"\]$/m, "signals reach the server itself");
	t.notMatch(last, /npm (?:install|ci)|apt-get/);
	t.match(dockerfile, /npm install --global --offline/);
	t.end();
});

t.test("what an image is built from is what a build and a package need", (t) => {
	const lines = readExample("Dockerfile.dockerignore").split("\n");
	const included = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
	const { files } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as {
		readonly files: readonly string[];
	};
	const needed = files.filter((entry) => !/^(?:dist|!)/.test(entry));
	for (const path of [...needed, "src", "skills", "payments", "store", "agent-card", "bin"]) {
		const [top = ""] = path.split("/*");
		const isIncluded = included.some((entry) => top === entry || top.startsWith(`${entry}/`));
		t.ok(isIncluded, path);
	}
	for (const entry of included) t.ok(existsSync(join(PACKAGE_ROOT, entry)), `${entry} is there`);
	t.equal(lines[1], "*", "everything else stays out, keys among it");
	t.end();
});

for (const name of ["compose.yaml", "compose.single.yaml"]) {
	t.test(`${name} sets what there is, and writes to volumes alone`, (t) => {
		const { services, volumes } = parse(readExample(name), { merge: true }) as Compose;
		const known = new Set(SETTING_ROWS.map(({ key }) => `TOLLGRAPH_${key.toUpperCase()}`));
		const own = Object.values(services).filter(({ build }) => build !== undefined);
		t.ok(own.length > 0);
		for (const { build, environment = {}, read_only, cap_drop, volumes: mounted = [] } of own) {
			const { context = "", dockerfile: path = "" } = build ?? {};
			const deployment = join(PACKAGE_ROOT, "examples", "deployment");
			t.ok(existsSync(join(deployment, context, path)), "its Dockerfile is there");
			t.same(
				Object.keys(environment).filter((variable) => !known.has(variable)),
				[],
			);
			t.equal(read_only, true);
			t.same(cap_drop, ["ALL"]);
			for (const volume of mounted) t.ok((volume.split(":")[0] ?? "") in volumes, volume);
		}
		t.end();
	});
}
