import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { hasProgram, readExample } from "./reverse-proxy.js";

const folder = join(PACKAGE_ROOT, "examples", "deployment");
const UNITS = ["tollgraph.service", "tollgraph@.service"];
/** Of ten; 1.3 with systemd 252. */
const MAX_EXPOSURE = 2.5;

t.test("both units are valid and expose little", (t) => {
	const skip =
		!hasProgram("systemd-analyze", "--version") && "systemd-analyze is not installed here";
	for (const unit of UNITS) {
		t.test(unit, { skip }, (t) => {
			const path = join(folder, unit);
			const verified = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
			t.equal(`${verified.stdout}${verified.stderr}`, "");
			const args = ["security", "--offline=true", "--no-pager", path];
			const { stdout } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
			const [, exposure] = /Overall exposure level for .*: ([\d.]+)/.exec(stdout) ?? [];
			t.ok(Number(exposure) <= MAX_EXPOSURE, `exposure ${exposure}`);
			t.end();
		});
	}
	t.end();
});

t.test("a unit leaves a server what it needs", (t) => {
	const hardening = UNITS.map((unit) => {
		const text = readExample(unit);
		// It reads the machine's own addresses, so that callers cannot have it call them.
		t.match(text, /^RestrictAddressFamilies=.*\bAF_NETLINK\b/m);
		// V8 and WebAssembly compile as they run.
		t.notMatch(text, /^MemoryDenyWriteExecute=/m);
		return text.slice(text.indexOf("UMask="), text.indexOf("[Install]"));
	});
	t.equal(hardening[0], hardening[1], "both are hardened alike");
	t.end();
});

t.test("the example for Caddy is valid", (t) => {
	const skip = !hasProgram("caddy", "version") && "caddy is not installed here";
	t.test("caddy validate", { skip }, (t) => {
		const home = t.testdir();
		const path = join(folder, "Caddyfile");
		const args = ["validate", "--adapter", "caddyfile", "--config", path];
		const env = { PATH: process.env["PATH"], HOME: home };
		const { status, stderr } = spawnSync("caddy", args, { encoding: "utf8", env });
		t.equal(status, 0, stderr);
		t.end();
	});
	t.end();
});

t.test("the example for HAProxy is valid", (t) => {
	const skip = !hasProgram("haproxy", "-v") && "haproxy is not installed here";
	t.test("haproxy -c", { skip }, (t) => {
		const path = join(folder, "haproxy.cfg");
		t.doesNotThrow(() => execFileSync("haproxy", ["-c", "-f", path], { stdio: "pipe" }));
		t.end();
	});
	t.end();
});
