import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import type { Test } from "tap";
import { listenOnLoopback } from "./listen-on-loopback.js";

/** What a model is asked: the evidence it may use, as it is given. */
export interface AskedOfWriter {
	readonly path: string;
	readonly authorization: string | undefined;
	readonly model: string;
	readonly temperature: number;
	readonly max_tokens: number;
	/** Whatever else it is asked with. */
	readonly asked: Readonly<Record<string, unknown>>;
	readonly system: string;
	readonly user: string;
	readonly data: {
		readonly question: string;
		readonly sentences_max: number;
		readonly evidence: readonly { readonly id: string; readonly text: string }[];
	};
}

type Respond = (asked: AskedOfWriter, res: ServerResponse) => unknown;

/** An OpenAI-compatible server on loopback that answers as a test wants. */
export async function startWriterServer(t: Test, first: Respond) {
	const asked: AskedOfWriter[] = [];
	let respond = first;
	const server = createServer(async (req, res) => {
		// It has no list of models.
		if (req.method === "GET") return void res.writeHead(404).end();
		const question = await readAsked(req);
		asked.push(question);
		const content = respond(question, res);
		if (content !== undefined) sendCompletion(res, content);
	});
	const port = await listenOnLoopback(t, server);
	return {
		url: `http://127.0.0.1:${port}/v1`,
		asked,
		answerWith: (next: Respond) => {
			respond = next;
		},
	};
}

/** A list stands for a draft of these sentences. */
function sendCompletion(res: ServerResponse, content: unknown): void {
	const draft = Array.isArray(content) ? { sentences: content } : content;
	const text = typeof draft === "string" ? draft : JSON.stringify(draft);
	res.setHeader("Content-Type", "application/json");
	res.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: text } }] }));
}

async function readAsked(req: IncomingMessage): Promise<AskedOfWriter> {
	const { model, temperature, max_tokens, messages, ...asked } = (await json(req)) as {
		model: string;
		temperature: number;
		max_tokens: number;
		messages?: { content: string }[];
	};
	const [system = "", user = "{}"] = (messages ?? []).map(({ content }) => content);
	const { authorization } = req.headers;
	const path = `${req.method} ${req.url}`;
	return {
		path,
		authorization,
		model,
		temperature,
		max_tokens,
		asked,
		system,
		user,
		data: JSON.parse(user),
	};
}
