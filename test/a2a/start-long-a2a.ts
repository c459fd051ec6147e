import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import type { Test } from "tap";
import { createA2a } from "../../src/a2a/a2a.js";
import { createSkillServices } from "../../src/app/services.js";
import { bindSkills } from "../../src/contract/bind-skills.js";
import { assertCallerTarget } from "../../src/delivery/caller-egress.js";
import { createJobViews } from "../../src/jobs/job-views.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { createSealedText } from "../../src/kernel/secrets.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { createInvoke } from "../../src/sales/invoke.js";
import { OPERATIONS } from "../../src/service/service.js";
import type { Service } from "../../src/service/service-interface.js";
import type { JobShop } from "../jobs/job-shop.js";
import { startHookReceiver } from "../service/hook-receiver.js";
import { createTestResearch } from "../support/test-research.js";
import { listenGrpc, signingJwk } from "./start-a2a.js";

type Receiver = Awaited<ReturnType<typeof startHookReceiver>>;

/** The transport over a shop of scripted deep dives, and a receiver of what it pushes; stopped when the test ends. */
export async function startLongA2a(t: Test, shop: JobShop, receiver?: Receiver) {
	const { store, clock, jobs, money, chain } = shop;
	const hooks = receiver ?? (await startHookReceiver(t));
	const skills = bindSkills(
		OPERATIONS,
		createSkillServices({
			search: {} as never,
			clock,
			catalog: createGraphCatalog([]),
			baseUrl: () => "https://example.org",
			research: createTestResearch({ store, clock }),
		}),
	);
	let baseUrl = "";
	const recordUsage = () => undefined;
	const service = {
		info: { version: "1.2.3", baseUrl: () => baseUrl, mcpUrl: () => null, profile: "demo" },
		skills,
		prices: money.prices,
		invoke: createInvoke({ skills, cashier: money.cashier, recordUsage, clock, jobs }),
		identify: (credential) => money.cashier.identify(credential),
	} as Partial<Service> as Service;
	const pepper = Buffer.alloc(32, "pepper");
	const logged: unknown[] = [];
	const a2a = createA2a({
		...{ service, store, clock, signingJwk: () => signingJwk },
		revision: () => "1",
		ids: createIds({ clock, random: systemRandom }),
		logger: { info: () => undefined, error: (...line) => logged.push(line) },
		x402: { network: chain.terms.network, asset: chain.terms.asset },
		jobs: createJobViews({ jobs, clock }),
		push: {
			egress: hooks.egress,
			judge: assertCallerTarget,
			seal: createSealedText({ pepper, random: systemRandom, purpose: "push" }),
		},
	});
	const server = express().set("etag", false).use(a2a.router).listen(0, "127.0.0.1");
	await once(server, "listening");
	baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	await listenGrpc(t, a2a, money);
	await a2a.start();
	/** As a process that dies: nothing of it works on. */
	const stop = async () => {
		await a2a.close();
		await shop.close();
		server.closeAllConnections();
		server.close();
	};
	t.teardown(stop);
	return { ...shop, ...hooks, baseUrl, logged, stop, receiver: hooks };
}
