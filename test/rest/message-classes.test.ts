import { createServer, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import t from "tap";
import { createMessageClasses } from "../../src/http/server.js";
import { startApp } from "../support/start-app.js";

/** What all routers have in common. */
const RouterMethods = express.Router.prototype as unknown as {
	handle(this: unknown, ...call: unknown[]): unknown;
};
const EMPTY = { model: "none", catalog: "none" } as const;

t.test("a request is made with the prototypes that Express gives it", async (t) => {
	const app = express();
	app.get("/", (req, res) => void res.json({ host: req.hostname, isFresh: req.fresh }));
	const seen: (object | null)[] = [];
	const prototypes = (req: IncomingMessage, res: ServerResponse) =>
		seen.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res));
	const server = createServer(createMessageClasses(app), (req, res) => {
		prototypes(req, res);
		app(req, res);
		prototypes(req, res);
	});
	t.teardown(() => server.close());
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } });
	t.same(await answer.json(), { host: "127.0.0.1", isFresh: false });
	const [req, res, reqAfter, resAfter] = seen;
	t.equal(req, reqAfter);
	t.equal(res, resAfter);
});

t.test("no request of a running service has its prototype changed", async (t) => {
	const { send } = await startApp(t, { settings: EMPTY });
	await send("/v1/offerings");
	const original = Object.setPrototypeOf;
	const changed: string[] = [];
	let set = 0;
	Object.setPrototypeOf = (target: object, to: object | null) => {
		const isMessage = target instanceof IncomingMessage || target instanceof ServerResponse;
		if (isMessage) set += 1;
		if (isMessage && Object.getPrototypeOf(target) !== to) changed.push(target.constructor.name);
		return original(target, to);
	};
	t.teardown(() => {
		Object.setPrototypeOf = original;
	});
	const { status } = await send("/v1/offerings");
	t.equal(status, 200);
	t.equal(set, 2, "Express still sets them");
	t.same(changed, []);
});

t.test(
	"what is below /v1/ is looked for in REST and among the pages, and nowhere else",
	async (t) => {
		const { send } = await startApp(t, { settings: EMPTY });
		const { handle } = RouterMethods;
		let asked = 0;
		RouterMethods.handle = function count(...call) {
			asked += 1;
			return handle.apply(this, call);
		};
		t.teardown(() => {
			RouterMethods.handle = handle;
		});
		t.equal((await send("/v1/offerings")).status, 200);
		t.equal(asked, 3, "the application's own router, the pages, REST");
		t.equal((await send("/.well-known/agent-card.json")).status, 200, "others are still reached");
	},
);
