import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";
import t from "tap";
import ts from "typescript";
import { startApp } from "../support/start-app.js";

const run = promisify(execFile);

const CLIENT = `
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });
const unpaid = await client.POST("/v1/graphs/{graph_id}/search", {
	params: { path: { graph_id: "agent-payments" } },
	body: { query: "Which HTTP status code asks for payment?", limit: 2 },
});
const asked: "PAYMENT_REQUIRED" | string | undefined = unpaid.error?.error.code;
const { data, error } = await client.POST("/v1/graphs/{graph_id}/search", {
	params: { path: { graph_id: "agent-payments" } },
	body: { query: "Which HTTP status code asks for payment?", limit: 2 },
	headers: { "X-Pay-SPT": token },
});
if (!data) throw new Error(JSON.stringify(error));
const titles: string[] = data.rows.map((row) => row.name);
const amount: string = data.meta.cost.amount_usd;
console.log(JSON.stringify({ asked, titles, amount }));
`;

const WRONG = `
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";
await createClient<paths>({ baseUrl: "" }).POST("/v1/search/domain", { body: { question: "no such field" } });
`;

const OPTIONS: ts.CompilerOptions = {
	strict: true,
	module: ts.ModuleKind.NodeNext,
	target: ts.ScriptTarget.ES2023,
	types: ["node"],
	skipLibCheck: true,
};

/** Complaints of the compiler about one file and what it imports; its JavaScript is written beside it. */
function compile(file: string): readonly string[] {
	const program = ts.createProgram([file], OPTIONS);
	program.emit();
	return ts
		.getPreEmitDiagnostics(program)
		.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

t.test("a generated client compiles in strict mode and makes a paid call", async (t) => {
	const folder = t.testdir({
		"package.json": '{"type":"module"}',
		"client.ts": CLIENT,
		"wrong.ts": WRONG,
	});
	const { baseUrl, issueSpt } = await startApp(t, {
		settings: { model: "none" },
		folder: join(folder, "data"),
	});
	const document = await (await fetch(`${baseUrl}/openapi.json`)).text();
	// What has a default may be left out of a request.
	const types = await openapiTS(document, { defaultNonNullable: false });
	writeFileSync(join(folder, "schema.d.ts"), astToString(types));
	t.same(compile(join(folder, "client.ts")), []);
	t.match(compile(join(folder, "wrong.ts")), [/question/], "an unknown field is a type error");

	const { token } = await issueSpt("1.00");
	const { stdout } = await run(process.execPath, [join(folder, "client.js"), baseUrl, token]);
	const told = JSON.parse(stdout) as { asked: string; titles: string[]; amount: string };
	t.equal(told.asked, "PAYMENT_REQUIRED");
	t.ok(told.titles.length > 0);
	t.equal(told.amount, "0.50");
});
