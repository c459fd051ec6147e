import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Test } from "tap";
import { createCallerEgress } from "../../src/delivery/caller-egress.js";
import type { Logger } from "../../src/kernel/logger.js";
import type { Settings } from "../../src/settings/read-settings.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { type Answer, startApp, type TestApp } from "../support/start-app.js";
import { type MailServer, startMailServer } from "./mail-server.js";

const RECORD =
	"---\ntype: domain\nid: tides\ntitle: Tides\nversion: 1.0.0\nupdated: '2026-01-01'\ntopics: [tidal power]\n---\nPower from tides.\n";
const INDEX =
	'---\nokf_version: "0.2"\n---\n# Tides\n\n* [Barrages](barrages.md)\n* [Turbines](turbines.md)\n';

const concept = (title: string, body: string, source: string): string =>
	`---\ntype: Concept\ntitle: ${title}\ndescription: ${body.split(".")[0]}.\nsources:\n  - { id: one, resource: "https://example.org/${source}", title: "Report on ${source}", last_modified: "2026-02-01" }\n---\n${body}\n`;

const GRAPH = {
	"graph.md": RECORD,
	"index.md": INDEX,
	"barrages.md": concept(
		"Tidal barrages",
		"A tidal barrage stores tidal power behind a dam. La Rance delivers 240 megawatts of tidal power.",
		"barrages",
	),
	"turbines.md": concept(
		"Tidal turbines",
		"A tidal turbine takes tidal power from a current without a dam. Its blades turn slowly.",
		"turbines",
	),
};

export interface SlackPost {
	readonly path: string;
	readonly host: string | undefined;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly body: any;
}

/** A shop with one small graph, a mail server, a stand-in for Slack, and a clock that stands still. */
export interface Tracker extends TestApp {
	readonly clock: ManualClock;
	readonly mail: MailServer;
	readonly slack: { readonly posts: SlackPost[]; status: number };
	readonly token: string;
	readonly tokenId: string;
	/** Any request, with the token unless another credential or none is named. */
	ask(method: string, path: string, body?: object, token?: string | null): Promise<Answer>;
	/** One round of the scheduler; how many runs it attempted. */
	tick(): Promise<number>;
	balance(): Promise<string>;
}

export const SCHEDULES = "/v1/research/schedules";

/** Where Slack takes briefings; its last part is a secret. */
export const HOOK = "https://hooks.slack.com/services/T000/B000/canaryhook";

export async function startTracker(
	t: Test,
	options: {
		usd?: string;
		at?: string;
		settings?: Partial<Settings>;
		hasMail?: boolean;
		logger?: Logger;
	} = {},
): Promise<Tracker> {
	const root = t.testdir({ graphs: { tides: GRAPH } });
	const clock = manualClock(options.at ?? "2026-03-02T12:00:00Z");
	const mail = await startMailServer(t);
	const slack = { posts: [] as SlackPost[], status: 200 };
	const port = await listenAsSlack(t, slack);
	const app = await startApp(t, {
		clock,
		...(options.logger && { logger: options.logger }),
		folder: `${root}/data`,
		settings: {
			catalog: `${root}/graphs`,
			model: "none",
			...(options.hasMail !== false && {
				mail: { url: mail.url, from: "Tollgraph <briefings@example.net>" },
			}),
			...options.settings,
		},
		// The real guard of caller-named addresses; only the network behind it is this machine.
		slack: createCallerEgress({
			hosts: ["hooks.slack.com"],
			ports: [443],
			resolve: async () => ["93.184.215.14"],
			dial: () => connect(port, "127.0.0.1"),
		}),
	});
	const { token, id: tokenId } = await app.issueSpt(options.usd ?? "25");
	const ask: Tracker["ask"] = (method, path, body, shown = token) =>
		app.send(path, {
			method,
			headers: {
				...(shown !== null && { Authorization: `Bearer ${shown}` }),
				"Content-Type": "application/json",
			},
			...(body && { body: JSON.stringify(body) }),
		});
	return {
		...app,
		clock,
		mail,
		slack,
		token,
		tokenId,
		ask,
		tick: () => app.app.schedules.worker.tick(),
		balance: async () => (await ask("GET", "/v1/spt/balance")).body.data.balance_usd,
	};
}

/** The graph says something else on turbines from now on. */
export async function tellNews(shop: TestApp, news: string): Promise<void> {
	const { catalog, search } = shop.app;
	const { memory: _, ...graph } = catalog.get("tides");
	const body = `A tidal turbine takes tidal power from a current. News ${news} are told here.`;
	const concepts = graph.concepts.map((one) =>
		one.id === "turbines" ? { ...one, summary: body, body } : one,
	);
	catalog.put({ ...graph, concepts, contentHash: createHash("sha256").update(news).digest("hex") });
	await search.sync(catalog.list());
}

async function listenAsSlack(
	t: Test,
	slack: { readonly posts: SlackPost[]; status: number },
): Promise<number> {
	const server = createServer((req, res) => {
		let text = "";
		req.setEncoding("utf8");
		req.on("data", (chunk: string) => {
			text += chunk;
		});
		req.on("end", () => {
			slack.posts.push({ path: req.url ?? "", host: req.headers.host, body: JSON.parse(text) });
			res.statusCode = slack.status;
			res.end(slack.status === 200 ? "ok" : "no_service");
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	t.teardown(() => server.close());
	return (server.address() as AddressInfo).port;
}

/** What is reported to a schedule's caller. */
export const stateOf = async (shop: Tracker, id: string) =>
	(await shop.ask("GET", `${SCHEDULES}/${id}`)).body.data;
