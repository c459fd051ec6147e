import t, { type Test } from "tap";
import { AUDIENCE, startIssuer } from "../auth/local-issuer.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { startMcp } from "./start-mcp.js";

const ADDRESSES = ["/mcp", "/copilot", "/chatgpt"] as const;
const unreadable = [
	"eyJ.e30.x",
	"eyJ.bnVsbA.x",
	"eyJ.W10.x",
	"eyJ.IngI.x",
	"eyJ..",
	`eyJ.${"W".repeat(4_000)}.x`,
];

t.test("tokens of another authorization server open every address they name", (t) =>
	open(t, { isIdentityIssuer: false }),
);
t.test("also where the same issuer is the identity provider", (t) =>
	open(t, { isIdentityIssuer: true }),
);

async function open(t: Test, { isIdentityIssuer }: { isIdentityIssuer: boolean }) {
	const issuer = await startIssuer(t);
	const rules = {
		issuer: issuer.url,
		jwksUri: undefined,
		algorithms: ["ES256" as const],
		accountClaim: "sub",
		scopeClaim: undefined,
		maxTokenAgeSeconds: 3_600,
	};
	const identity = { ...rules, audience: AUDIENCE };
	const shop = await startMcp(t, {
		settings: { oauth: rules, ...(isIdentityIssuer && { identity }) },
	});
	const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
	const accounts = async () => (await shop.app.operator.listAccounts()).items.length;
	const had = await accounts();

	for (const path of ADDRESSES) {
		await t.test(path, async (t) => {
			const aud = `${shop.baseUrl}${path}`;
			const headers = bearer(await issuer.token({ claims: { aud, sub: `new ${path}` } }));
			const before = await accounts();
			const listed = await shop.rpc(path, "tools/list", {}, headers);
			t.equal(listed.status, 200, "a subject whose account nobody opened may look");
			const job = { name: "get_deep_dive", arguments: { job_id: `job_${"0".repeat(26)}` } };
			const none = await shop.rpc(path, "tools/call", job, headers);
			t.match(none.result, { isError: true });
			t.equal(await accounts(), before, "a look opens no account");

			const call = { name: "search", arguments: { query: KNOWN_QUERY } };
			const { result } = await shop.rpc(path, "tools/call", call, headers);
			t.not(result.isError, true, "and a paid call opens it, on the free plan");
			t.equal(await accounts(), before + 1);

			const others = ADDRESSES.filter((other) => other !== path);
			for (const other of others) {
				const reply = await shop.rpc(other, "tools/list", {}, headers);
				t.equal(reply.status, 401, `it opens no ${other}`);
			}
			for (const token of unreadable) {
				t.equal((await shop.rpc(path, "tools/list", {}, bearer(token))).status, 401);
			}
		});
	}
	await t.test("an identity token opens what takes identity tokens", async (t) => {
		const headers = bearer(await issuer.token({ claims: { sub: "somebody" } }));
		for (const path of ADDRESSES) {
			const { status } = await shop.rpc(path, "tools/list", {}, headers);
			t.equal(status, isIdentityIssuer && path !== "/chatgpt" ? 200 : 401, path);
		}
	});
	t.equal(await accounts(), had + ADDRESSES.length);
}
