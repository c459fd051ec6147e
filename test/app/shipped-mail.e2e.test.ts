import { join } from "node:path";
import t from "tap";
import { startMailServer } from "../jobs/mail-server.js";
import { startServerProcess } from "../support/server-process.js";

const LIGHT = ["--model", "none", "--judge", "none", "--facilitator", "off"];

t.test("a server as it is shipped hands mails to the mail server", async (t) => {
	const mail = await startMailServer(t);
	const data = join(t.testdir(), "data");
	const mailed = ["--smtp-url", mail.url, "--mail-from", "briefings@example.net"];
	const { child, ready } = await startServerProcess(["--data", data, ...LIGHT, ...mailed]);
	t.teardown(() => child.kill("SIGKILL"));
	const post = async (path: string, body: object) => {
		const reply = await fetch(`${ready.base_url}/v1/research/schedules${path}`, {
			method: "POST",
			headers: { "Content-Type": "application/json", "X-Pay-SPT": ready.demo_spt },
			body: JSON.stringify(body),
		});
		t.equal(reply.status, 200);
		return (await reply.json()).data;
	};
	const email = "reader@example.com";
	const { schedule_id: id } = await post("", { topic: "payment", frequency: "daily", email });
	const { channels } = await post(`/${id}/test`, {});
	t.match(channels, [{ kind: "email", status: "asked_again" }]);
	// The schedule's own may leave meanwhile.
	t.ok(mail.mails.length > 0);
	for (const { from, to } of mail.mails) t.same([from, to], ["briefings@example.net", [email]]);
});
