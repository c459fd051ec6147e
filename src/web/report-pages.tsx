import express, { type Request, type Response, type Router } from "express";
import {
	ANONYMOUS,
	type Caller,
	type Credential,
	parseCredential,
	type RenderPage,
	type ServedDocument,
	type Services,
} from "../contract/contract.js";
import {
	type CallRates,
	createTypedCredentials,
	readCredential,
	STATUS_OF,
	sendPage,
} from "../http/http.js";
import { ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { type PageFrame, toPrivatePage } from "./page-frame.js";
import { InvoiceView } from "./pages/invoice.js";
import { renderPage } from "./pages/layout.js";
import { Icon } from "./pages/parts.js";
import { ReportView } from "./pages/report.js";

/** Reports and invoices as pages, for who may read them as JSON and for no one else (docs/adr/0083). */

export interface ReportPageDeps {
	readonly service: Pick<Service, "identify"> & {
		readonly services: Pick<Services, "dossiers" | "jobs" | "brandReports" | "accountInvoice">;
	};
	readonly frame: Pick<PageFrame, "assets" | "site" | "renderPage">;
	readonly callRates: Pick<CallRates, "take" | "end">;
}

interface OpenedReport {
	readonly title: string;
	readonly view: preact.VNode;
}

type Opener = (
	services: ReportPageDeps["service"]["services"],
	caller: Caller,
	id: string,
) => Promise<OpenedReport>;

/** By the prefix of its id. */
const KINDS: Readonly<
	Record<string, { readonly name: string; readonly open: Opener } | undefined>
> = {
	dos: {
		name: "Dossier",
		open: async ({ dossiers }, caller, id) => toReport(await dossiers.document(caller, id)),
	},
	job: {
		name: "Deep dive",
		open: async ({ jobs }, caller, id) => toReport(await jobs.document(caller, id)),
	},
	brd: {
		name: "Brand intelligence",
		open: async ({ brandReports }, caller, id) => toReport(await brandReports.document(caller, id)),
	},
	inv: {
		name: "Invoice",
		async open({ accountInvoice }, { access }, id) {
			if (!access) throw new ServiceError("SCOPE_FORBIDDEN", INVOICES_NEED_A_KEY);
			const invoice = await accountInvoice(access, id);
			const view = (
				<InvoiceView invoice={invoice}>
					<PrintButton />
				</InvoiceView>
			);
			return { title: invoice.number, view };
		},
	},
};

const INVOICES_NEED_A_KEY =
	"An invoice is for who manages its account; put in a key of that account.";

function toReport(report: Parameters<typeof ReportView>[0]["report"]): OpenedReport {
	const view = (
		<ReportView report={report}>
			<PrintButton />
		</ReportView>
	);
	return { title: `${report.kind}: ${report.title}`, view };
}

const PrintButton = () => (
	<p class="row small no-print needs-js">
		<button class="btn btn-sm" type="button" data-print>
			<Icon name="save" />
			Print or save as PDF
		</button>
	</p>
);

const FORM_LIMIT = "4kb";

/** Adds `/reports/{id}`: opened by its id where that is all there is to know, else by the credential that paid. */
export function addReportPages(router: Router, deps: ReportPageDeps): void {
	const { service, callRates, frame } = deps;
	const openTyped = createTypedCredentials(callRates);
	const form = express.urlencoded({ extended: false, limit: FORM_LIMIT, parameterLimit: 4 });
	router.get("/reports/:id", async (req, res, next) => {
		if (!kindOf(req)) return next();
		const credential = readCredential(req);
		const caller = credential ? await service.identify(credential, { opens: false }) : ANONYMOUS;
		await answer(req, res, { caller, isAsked: credential !== undefined });
	});
	router.post("/reports/:id", form, async (req, res, next) => {
		if (!kindOf(req)) return next();
		const { token } = (req.body ?? {}) as { readonly token?: unknown };
		const shown = typeof token === "string" ? token.trim() : "";
		try {
			const credential = shown === "" ? undefined : toCredential(shown);
			const identify = async () => (credential ? service.identify(credential) : ANONYMOUS);
			const caller = await openTyped(req, { secret: shown, identify, open: identify });
			await answer(req, res, { caller, isAsked: credential !== undefined });
		} catch (error) {
			await refuse(req, res, error);
		}
	});

	async function answer(
		req: Request,
		res: Response,
		{ caller, isAsked }: { readonly caller: Caller; readonly isAsked: boolean },
	): Promise<void> {
		const kind = kindOf(req);
		const { id = "" } = req.params as { readonly id?: string };
		try {
			const opened = await kind?.open(service.services, caller, id);
			if (opened) sendPage(res, 200, await renderOpened(deps, id, opened));
		} catch (error) {
			if (isAsked || !isHidden(error)) return refuse(req, res, error);
			// Whether there is such a report at all is for who paid for it to know.
			sendPage(res, 401, await toGate(frame.renderPage, req));
		}
	}

	async function refuse(req: Request, res: Response, error: unknown): Promise<void> {
		if (!(error instanceof ServiceError) || error.code === "INTERNAL") throw error;
		sendPage(res, STATUS_OF[error.code], await toGate(frame.renderPage, req, error.message));
	}
}

const isHidden = (error: unknown): boolean =>
	error instanceof ServiceError && ["NOT_FOUND", "SCOPE_FORBIDDEN"].includes(error.code);

function kindOf({ params }: Pick<Request, "params">) {
	const [prefix = ""] = String(params["id"]).split("_");
	return Object.hasOwn(KINDS, prefix) ? KINDS[prefix] : undefined;
}

/** Throws UNAUTHENTICATED for what is no credential. */
function toCredential(shown: string): Credential | undefined {
	return parseCredential(new Map([["authorization", [`Bearer ${shown}`]]]));
}

async function renderOpened(
	{ frame }: Pick<ReportPageDeps, "frame">,
	id: string,
	{ title, view }: OpenedReport,
): Promise<ServedDocument> {
	const { assets, site } = frame;
	const head = { title, description: title, path: `/reports/${id}`, isListed: false };
	return toPrivatePage(renderPage(await site(), head, view), assets.policy);
}

/** Asks for the credential; works without a script, and keeps nothing. */
function toGate(render: RenderPage, req: Request, error?: string): Promise<ServedDocument> {
	const name = kindOf(req)?.name ?? "Report";
	const path = `/reports/${encodeURIComponent(String(req.params["id"]))}`;
	const content = (
		<div class="wrap letter">
			<div class="card stack">
				<header class="stack-2">
					<p class="eyebrow">{name}</p>
					<h1>This page is for who paid for it</h1>
					<p class="lead">
						Put in the token or key that paid. Reports are kept for a day; opening one costs
						nothing.
					</p>
				</header>
				{error !== undefined && (
					<div class="note note-stop" role="alert">
						<Icon name="warning" />
						<p>{error} Nothing was charged.</p>
					</div>
				)}
				<form class="stack" method="post" action={path} autocomplete="off">
					<div class="field">
						<label for="token">Token or API key</label>
						<input
							id="token"
							name="token"
							type="password"
							required
							maxLength={2_000}
							autocomplete="off"
							spellcheck={false}
							aria-describedby="token-h"
						/>
						<p class="hint" id="token-h">
							Begins with spt_ or sk_. It is sent to this server alone and kept nowhere.
						</p>
					</div>
					<button class="btn btn-pay" type="submit">
						Open, free
					</button>
				</form>
			</div>
		</div>
	);
	const head = { title: `${name}: who paid for it?`, description: "Open what you paid for.", path };
	return render({ ...head, content });
}
