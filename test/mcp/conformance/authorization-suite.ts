/** The suite's scenarios for anyone who gives access, with an owner who signs in and agrees. */
import { createServer } from "node:net";
import { submitBudget, submitKey } from "../../oauth/access-pages.js";
import { createBrowser } from "../../oauth/cookie-browser.js";
import type { Ended, OnDemandTools } from "./on-demand-tools.js";

export interface Issuer {
	readonly baseUrl: string;
	/** An account key, to sign in with. */
	readonly key: string;
}

export async function checkAuthorization(
	tools: OnDemandTools,
	{ baseUrl, key }: Issuer,
): Promise<Ended> {
	const port = await findPort();
	const redirect = `http://127.0.0.1:${port}/callback`;
	const clientId = await register(baseUrl, redirect);
	let isSignedIn = false;
	const args = ["--url", baseUrl, "--client-id", clientId, "--port", String(port)];
	const resource = ["--resource", `${baseUrl}/mcp`];
	return tools.run("conformance", ["authorization", ...args, ...resource], (output) => {
		const [asked] = /^http\S+\/oauth\/authorize\?\S+$/m.exec(output) ?? [];
		if (asked === undefined || isSignedIn) return;
		isSignedIn = true;
		agree({ baseUrl, key }, asked).catch((error: unknown) => {
			process.stderr.write(`Nobody could sign in: ${error}\n`);
			process.exitCode = 1;
		});
	});
}

/** What the owner does in a browser. */
async function agree({ baseUrl, key }: Issuer, asked: string): Promise<void> {
	const browser = createBrowser(baseUrl);
	const { pathname, search } = new URL(asked);
	const login = await browser.get(`${pathname}${search}`);
	const consent = await submitKey(browser, login, key);
	const { left, text } = await submitBudget(browser, consent, "1.00");
	if (!left) throw new Error(text);
	await fetch(left);
}

async function register(baseUrl: string, redirect: string): Promise<string> {
	const response = await fetch(`${baseUrl}/oauth/register`, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ client_name: "Conformance suite", redirect_uris: [redirect] }),
	});
	const { client_id } = (await response.json()) as { client_id?: string };
	if (client_id === undefined) throw new Error(`Registration answered ${response.status}.`);
	return client_id;
}

/** A port that was free a moment ago. */
function findPort(): Promise<number> {
	return new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address() as { port: number };
			server.close(() => resolve(port));
		});
	});
}
