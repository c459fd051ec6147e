/** A server for the conformance suite: our router and our protocol server, with the tools the suite asks for. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ProtocolError, type Server, type ServerContext } from "@modelcontextprotocol/server";
import express from "express";
import type { App } from "../../../src/app/create-app.js";
import { systemClock } from "../../../src/kernel/clock.js";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import { createMcp } from "../../../src/mcp/mcp-router.js";
import { createProfile } from "../../../src/mcp/profiles.js";
import { createProtocolServer } from "../../../src/mcp/protocol-server.js";
import { listResources, readResource } from "../../../src/mcp/resources.js";
import { READS, type Tool } from "../../../src/mcp/tool.js";
import type { Service } from "../../../src/service/service-interface.js";
import { ASKING_TOOLS, writePrompt } from "./asking-fixtures.js";
import {
	CONTENT_TOOLS,
	type FixtureAnswer,
	PROMPTS,
	RESOURCES,
	readFixture,
	TEMPLATE,
} from "./content-fixtures.js";
import { SCHEMA_TOOLS } from "./schema-fixtures.js";
import { FIXTURE_TASKS, TASK_TOOLS } from "./task-fixtures.js";

const INVALID_PARAMS = -32602;
const ANSWERS: Readonly<Record<string, FixtureAnswer>> = {
	...CONTENT_TOOLS,
	...ASKING_TOOLS,
	...TASK_TOOLS,
};

/** Listens on loopback, next to the app whose service it shows; anybody may call. */
export async function startFixtureServer(app: App): Promise<{ url: string; close(): void }> {
	const { service } = app;
	const profile = createProfile(fixtureTools());
	const mcp = createMcp({
		service,
		profiles: { whole: profile, chatgpt: profile, copilot: profile },
		ids: createIds({ clock: systemClock, random: systemRandom }),
		clock: systemClock,
		allowedOrigins: [],
		callRates: app.money.callRates,
		issuers: { access: () => undefined, identity: undefined },
		takesPayments: true,
		createServer: (deps, exchange) =>
			withFixtures(createProtocolServer({ ...deps, tasks: FIXTURE_TASKS }, exchange), service),
	});
	const http = createServer(express().use(mcp.router));
	await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
	const { port } = http.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/mcp`,
		close() {
			http.close();
			http.closeAllConnections();
			void mcp.close();
		},
	};
}

function withFixtures(server: Server, service: Service): Server {
	server.registerCapabilities({ logging: {}, completions: {} });
	server.setRequestHandler("tools/call", ({ params }, context) =>
		callFixture(params.name, context, params.arguments),
	);
	server.setRequestHandler("resources/list", ({ params }) => {
		const { resources, ...page } = listResources(service, params?.cursor);
		return { resources: [...RESOURCES, ...resources], ...page };
	});
	server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [TEMPLATE] }));
	server.setRequestHandler(
		"resources/read",
		({ params: { uri } }) => readFixture(uri) ?? readResource(service, uri),
	);
	server.setRequestHandler("prompts/list", () => ({ prompts: listedPrompts() }));
	server.setRequestHandler("prompts/get", ({ params }, context) => {
		if (params.name === "test_input_required_result_prompt") return writePrompt(context);
		const write = PROMPTS[params.name];
		if (!write) throw new ProtocolError(INVALID_PARAMS, "There is no such prompt.");
		return write(params.arguments ?? {});
	});
	server.setRequestHandler("completion/complete", () => ({
		completion: { values: ["paris", "park"], total: 2, hasMore: false },
	}));
	return server;
}

function callFixture(name: string, context: ServerContext, args: Record<string, unknown> = {}) {
	const answer = ANSWERS[name];
	if (!answer) throw new ProtocolError(INVALID_PARAMS, "There is no such tool.");
	return answer(context, args) as never;
}

function fixtureTools(): Tool[] {
	const plain = Object.keys(ANSWERS).map((name) => ({
		name,
		inputSchema: { type: "object", properties: {}, additionalProperties: false } as const,
	}));
	return [...plain, ...SCHEMA_TOOLS].map(({ name, inputSchema }) => ({
		listed: {
			name,
			title: name,
			description: "For the conformance suite.",
			inputSchema: inputSchema as never,
			annotations: READS,
		},
		answer: () => Promise.reject(new Error("Fixtures answer for themselves.")),
	}));
}

function listedPrompts() {
	const argumentsOf: Readonly<Record<string, readonly string[]>> = {
		test_prompt_with_arguments: ["arg1", "arg2"],
		test_prompt_with_embedded_resource: ["resourceUri"],
	};
	const names = [...Object.keys(PROMPTS), "test_input_required_result_prompt"];
	return names.map((name) => ({
		name,
		description: "For the conformance suite.",
		arguments: (argumentsOf[name] ?? []).map((argument) => ({ name: argument, required: true })),
	}));
}
