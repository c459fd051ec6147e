import { resolve } from "node:path";
import t from "tap";
import { hubFolder, parseHubId, parseModelName } from "../../src/search/model/model-name.js";

t.test("a model is the bundled one, a folder, one of the hub, or none", async (t) => {
	t.same(parseModelName("bundled"), { kind: "bundled" });
	t.same(parseModelName("table"), { kind: "table" });
	t.same(parseModelName("none"), { kind: "none" });
	t.same(parseModelName("local:./my model"), { kind: "local", folder: resolve("my model") });
	t.same(parseModelName("hub:Xenova/bge-small-en-v1.5"), {
		kind: "hub",
		id: "Xenova/bge-small-en-v1.5",
	});
});

t.test("anything else is refused with the ways to say it", async (t) => {
	for (const text of ["", "Bundled", "local:", "local: ", "ftp:x", "/models/mine"]) {
		t.throws(() => parseModelName(text), {
			code: "INVALID_ARGUMENT",
			message: /use bundled, table, local:<folder>, hub:<owner>\/<name> or none/,
		});
	}
	t.throws(() => parseModelName("Xenova/gte-small"), { message: /Did you mean hub:Xenova/ });
});

t.test("an id of the hub is an owner and a name, and never leads out of its folder", async (t) => {
	t.equal(hubFolder("models", parseHubId("Xenova/gte-small")), "models/Xenova--gte-small");
	for (const id of ["gte-small", "../x", "a/..", "a/../../b", "a/b/c", "a--b/c", "/a", "a/b?x=1"]) {
		t.throws(() => parseHubId(id), { code: "INVALID_ARGUMENT" }, id);
	}
});
