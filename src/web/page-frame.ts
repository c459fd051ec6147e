import type { RenderPage, ServedDocument } from "../contract/contract.js";
import { toDocument } from "../http/http.js";
import type { Clock } from "../kernel/kernel.js";
import { INTERFACE_VERSION, type Service } from "../service/service.js";
import { openPageAssets } from "./page-assets.js";
import { renderPage, type Site } from "./pages/layout.js";
import { createReportFiles } from "./pages/report.js";

/** How long a page may show that parts were ready, or not. */
const STATUS_MS = 2_000;

export type PageFrame = ReturnType<typeof createPageFrame>;

/** What all pages have around them, also those that belong to other rooms: they bring what stands within. */
export function createPageFrame({
	packageRoot,
	clock,
	service,
}: {
	readonly packageRoot: string;
	readonly clock: Clock;
	/** Asked when the first page is rendered: the service itself may need pages. */
	readonly service: () => Pick<Service, "info"> & {
		readonly free: Pick<Service["free"], "health">;
	};
}) {
	const assets = openPageAssets(packageRoot);
	const status = createStatus(() => service().free.health(), clock);
	const site = async (): Promise<Site> => {
		const { info } = service();
		return {
			assets,
			baseUrl: info.baseUrl(),
			version: info.version,
			interfaceVersion: INTERFACE_VERSION,
			isDemo: info.profile === "demo",
			status: await status(),
		};
	};
	const renderQuiet: RenderPage = async ({ content, formTargets, ...head }) => {
		const page = renderPage(await site(), { ...head, isListed: false, hasScripts: false }, content);
		return toPrivatePage(page, assets.quietPolicy(formTargets));
	};
	return { assets, site, renderPage: renderQuiet, renderReport: createReportFiles(assets) };
}

/** A page that no cache keeps. */
export function toPrivatePage(page: string, policy: string): ServedDocument {
	return { ...toDocument("text/html; charset=utf-8", page), isSecret: true, policy };
}

function createStatus(
	health: () => Promise<Readonly<Record<string, unknown>>>,
	clock: Clock,
): () => Promise<Site["status"]> {
	let known: { readonly atMs: number; readonly status: Promise<Site["status"]> } | undefined;
	const ask = async (): Promise<Site["status"]> => {
		const { status } = await health();
		return status === "ok" || status === "degraded" ? status : "failing";
	};
	return () => {
		const now = clock.monotonicMs();
		if (!known || now - known.atMs > STATUS_MS) {
			known = { atMs: now, status: ask().catch(() => "failing" as const) };
		}
		return known.status;
	};
}
