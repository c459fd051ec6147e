import t from "tap";
import { createAttempts } from "../../src/web/ui/calls.js";
import { filesOf } from "../../src/web/ui/dashboard/dropped-files.js";

const reply = (status: number) =>
	({ status }) as Parameters<ReturnType<typeof createAttempts>["end"]>[1];

t.test("each request is tried again under its own key, whatever is sent meanwhile", (t) => {
	const attempts = createAttempts();
	const [one, other] = [{ path: "/one" }, { path: "/other" }];
	const [first, second] = [attempts.of(one).key, attempts.of(other).key];
	t.not(first, second);
	t.equal(attempts.of(one).key, first, "no answer came");
	attempts.end(other, reply(200));
	t.equal(attempts.of(one).key, first, "the other one was answered");
	t.not(attempts.of(other).key, second, "what is asked anew is paid anew");
	for (const status of [409, 429, 500, 503]) {
		attempts.end(one, reply(status));
		t.equal(attempts.of(one).key, first, `${status} decides nothing`);
	}
	t.end();
});

t.test("files of several folders keep their folders", async (t) => {
	const list = (paths: readonly string[]) =>
		paths.map((path) => ({ name: path, webkitRelativePath: path })) as unknown as FileList;
	const pathsOf = async (paths: readonly string[]) =>
		(await filesOf(list(paths))).map(({ path, folder }) => [path, folder]);
	t.same(await pathsOf(["a/index.md", "a/b/c.md", "a/.git/config"]), [
		["index.md", "a"],
		["b/c.md", "a"],
	]);
	t.same(await pathsOf(["a/index.md", "b/index.md"]), [
		["a/index.md", undefined],
		["b/index.md", undefined],
	]);
	t.same(await pathsOf(["notes.zip"]), [["notes.zip", undefined]]);
});
