import t from "tap";
import { parseMailSettings } from "../../src/settings/outbound-settings.js";

const parse = (url: string, from: string) =>
	parseMailSettings((key) => (key === "smtp_url" ? url : from));

t.test("mails go out through one server, from one address", async (t) => {
	t.equal(parse("", "a@example.org"), undefined);
	const url = "smtps://user:secret@mail.example.org:465";
	t.same(parse(url, "Graphs <a@example.org>"), { url, from: "Graphs <a@example.org>" });
	for (const [bad, from] of [
		["https://mail.example.org", "a@example.org"],
		["mail.example.org", "a@example.org"],
		["smtps://user:se%cret@mail.example.org", "a@example.org"],
		[url, ""],
		[url, "nobody"],
		[url, "a@example.org\r\nBcc: b@example.org"],
	] as const) {
		t.throws(() => parse(bad, from), { code: "INVALID_ARGUMENT" }, `${bad} ${from}`);
	}
	t.throws(() => parse(url, ""), { message: /^((?!secret).)*$/ }, "no password in a message");
});
