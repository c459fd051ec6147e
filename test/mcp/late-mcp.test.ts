import t from "tap";
import { startApp } from "../support/start-app.js";

const HEADERS = { "Content-Type": "application/json", Accept: "application/json" };

t.test(
	"the protocol takes its own addresses only, as they were sent, from the first request on",
	async (t) => {
		const { send } = await startApp(t, { settings: { model: "none", catalog: "none" } });
		const post = (path: string) => send(path, { method: "POST", headers: HEADERS, body: "{}" });
		for (const path of ["/mcpx", "/MCP", "/mcp//", "/x/mcp", "/copilot2", "/cc", "/chatgpt/x"]) {
			const { status, body } = await post(path);
			t.match({ status, body }, { status: 404, body: { error: { code: "NOT_FOUND" } } }, path);
		}
		const first = ["/mcp", "/mcp?graph=a", "/chatgpt", "/copilot", "/c", "/c/x/y", "/c/%E0%A4%A"];
		first.push("/mcp/", "/chatgpt/", "/copilot/", "/mcp/?graph=a");
		const answers = await Promise.all(first.map(post));
		for (const [index, { status, body }] of answers.entries()) {
			const isOurs = body.jsonrpc === "2.0" && [401, 404].includes(status);
			t.ok(isOurs, `${first[index]}: ${status} ${JSON.stringify(body)}`);
		}
	},
);
