import type { Request, RequestHandler, Response } from "express";
import type { Interaction, InteractionResults } from "oidc-provider";
import {
	type GrantHolder,
	OAUTH_LIMITS,
	type OAuthGrants,
	type OAuthRecords,
	parseLimit,
} from "../accounts/accounts.js";
import { type CallRates, STATUS_OF, toCallerAddress, toCredentialKey } from "../http/http.js";
import { formatUsd, type Micros, ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { type Agree, createAgree, lostStep } from "./agreement.js";
import { type BrowserBinding, createFormProof, readForm } from "./browser-proof.js";
import {
	type AskingClient,
	type ConsentView,
	consentPage,
	failurePage,
	loginPage,
	type Page,
	toPriceTable,
} from "./interaction-pages.js";
import type { OAuthProvider } from "./provider.js";
import { setSession } from "./provider-gate.js";

export interface InteractionDeps {
	readonly service: Pick<Service, "prices" | "skills" | "info">;
	readonly grants: OAuthGrants;
	readonly records: OAuthRecords;
	readonly signIn: SignIn;
	/** Undefined for an account that is closed. */
	readonly readAccount: (accountId: string) => Promise<AccountView | undefined>;
	readonly binding: BrowserBinding;
	readonly pepper: Uint8Array;
	readonly open: () => Promise<OAuthProvider>;
	/** Brings a request into the form in which the provider knows its own address. */
	readonly prepare: (req: Request) => void;
}

export interface AccountView {
	readonly name: string;
	readonly balanceMicros: Micros;
}

interface Step {
	readonly oauth: OAuthProvider;
	readonly interaction: Interaction;
	readonly client: AskingClient;
	readonly resource: string;
	readonly csrf: string;
}

interface InteractionRoutes {
	readonly show: RequestHandler;
	readonly submit: RequestHandler;
	readonly resume: RequestHandler;
}

/** Two pages: who are you, and do you agree. Without a script, and without a session that outlives them. */
export function createInteractionRoutes(deps: InteractionDeps): InteractionRoutes {
	const { binding } = deps;
	const agreeOnce = createAgree(deps);
	const proof = createFormProof(deps.pepper, () => new URL(deps.service.info.baseUrl()).origin);
	const openStep = async (req: Request, res: Response): Promise<Step> => {
		deps.prepare(req);
		const oauth = await deps.open();
		const interaction = await oauth.provider.interactionDetails(req, res);
		if (interaction.uid !== req.params["uid"]) throw lostStep();
		const { params, uid, prompt } = interaction;
		// Anyone who signs in again is bound anew.
		if (prompt.name !== "login" && !binding.holds(req, interaction)) throw lostStep();
		return {
			oauth,
			interaction,
			client: toAskingClient(interaction),
			resource: String(params["resource"]),
			csrf: proof.of(`${prompt.name} ${uid}`),
		};
	};
	const show: RequestHandler = async (req, res) => {
		await withStep(
			res,
			() => openStep(req, res),
			async (step) => {
				const page =
					step.interaction.prompt.name === "login" ? loginPage(step) : await toConsent(deps, step);
				sendPage(res, 200, page);
			},
		);
	};
	const submit: RequestHandler = async (req, res) => {
		await withStep(
			res,
			() => openStep(req, res),
			async (step) => {
				const form = await readForm(req);
				const { name } = step.interaction.prompt;
				proof.assert(req, form, `${name} ${step.interaction.uid}`);
				const finish = (result: InteractionResults) =>
					step.oauth.provider.interactionFinished(req, res, result);
				if (form.get("step") === "decline") {
					const { grantId } = step.interaction.result?.consent ?? {};
					// Allowed first, and thought better of.
					if (grantId !== undefined) await deps.grants.end(grantId);
					return finish({ error: "access_denied", error_description: "the user declined" });
				}
				const submission = { deps, agreeOnce, step, form, req, res, finish };
				return name === "login" ? login(submission) : agree(submission);
			},
		);
	};
	/** Leads on from a page, in the session that the step was opened in; the step is the one the provider will take. */
	const resume: RequestHandler = async (req, res, next) => {
		const { provider } = await deps.open();
		const uid = String(req.params["uid"]);
		// The provider goes by the cookie alone, whatever the path names.
		const { cookies } = provider.createContext(req, res);
		const shown = cookies.get(provider.cookieName("resume"), { signed: true });
		const step = shown === uid ? await provider.Interaction.find(uid) : undefined;
		if (!step || !binding.holds(req, step)) throw lostStep();
		const session = step.session && (await provider.Session.findByUid(step.session.uid));
		setSession(req, session?.jti);
		next();
	};
	return { show, submit, resume };
}

interface Submission {
	readonly deps: InteractionDeps;
	readonly agreeOnce: Agree;
	readonly step: Step;
	readonly form: URLSearchParams;
	readonly req: Request;
	readonly res: Response;
	readonly finish: (result: InteractionResults) => Promise<void>;
}

async function login({ deps, step, form, req, res, finish }: Submission): Promise<void> {
	try {
		const accountId = await deps.signIn(req, form.get("key")?.trim() ?? "");
		const browser = deps.binding.begin(res, step.interaction);
		await finish({ login: { accountId, remember: false, browser } });
	} catch (error) {
		sendPage(res, statusOf(error), loginPage({ ...step, error: messageOf(error) }));
	}
}

async function agree({ deps, agreeOnce, step, form, res, finish }: Submission): Promise<void> {
	const budget = form.get("budget")?.trim().replace(/^\$/, "") ?? "";
	const keepsEarlier = form.get("keep") === "yes";
	const label = `${step.client.name ?? "Application"} (OAuth)`;
	try {
		const budgetMicros = parseLimit(budget);
		const holder = toHolder(step);
		const consent = await agreeOnce({ ...step, ...holder, budgetMicros, label, keepsEarlier });
		await finish({ consent });
	} catch (error) {
		const page = await toConsent(deps, step, { budget, keepsEarlier, error: messageOf(error) });
		sendPage(res, statusOf(error), page);
	}
}

async function toConsent(
	{ service, grants, readAccount }: InteractionDeps,
	step: Step,
	shown: Partial<Pick<ConsentView, "budget" | "keepsEarlier" | "error">> = {},
): Promise<Page> {
	const holder = toHolder(step);
	const account = await readAccount(holder.accountId);
	if (!account) throw lostStep();
	return consentPage({
		...step,
		accountName: account.name,
		balanceMicros: account.balanceMicros,
		prices: toPriceTable(service.prices, service.skills),
		budget: shown.budget ?? formatUsd(OAUTH_LIMITS.budgetDefaultMicros),
		earlierCount: (await grants.find(holder)).length,
		keepsEarlier: shown.keepsEarlier ?? false,
		error: shown.error,
	});
}

function toHolder({ interaction: { session, params }, resource }: Step): GrantHolder {
	if (session?.accountId === undefined) throw lostStep();
	return { accountId: session.accountId, clientId: String(params["client_id"]), resource };
}

function toAskingClient({ params, prompt }: Interaction): AskingClient {
	const clientId = String(params["client_id"]);
	const isDocument = clientId.startsWith("https:");
	const { clientName } = prompt.details;
	return {
		name: typeof clientName === "string" ? clientName : undefined,
		verifiedHost: isDocument ? new URL(clientId).host : undefined,
		redirectUri: String(params["redirect_uri"]),
	};
}

/** A page for whatever goes wrong: no one here reads JSON. */
async function withStep(
	res: Response,
	open: () => Promise<Step>,
	work: (step: Step) => Promise<void>,
): Promise<void> {
	try {
		await work(await open());
	} catch (error) {
		if (res.headersSent) throw error;
		const isLost = error instanceof Error && error.name === "SessionNotFound";
		const shown = isLost ? lostStep() : error;
		if (!(shown instanceof ServiceError)) throw error;
		sendPage(res, statusOf(shown), failurePage(shown.message));
	}
}

export function sendPage(res: Response, status: number, { body, policy }: Page): void {
	res.status(status).set("Content-Security-Policy", policy).type("html").send(body);
}

function statusOf(error: unknown): number {
	return error instanceof ServiceError ? STATUS_OF[error.code] : 500;
}

/** Throws what no user can do anything about. */
function messageOf(error: unknown): string {
	if (error instanceof ServiceError) return error.message;
	throw error;
}

export interface SignInDeps {
	readonly identify: Service["identify"];
	/** Counts wrong keys together with all others that its address shows anywhere. */
	readonly callRates: Pick<CallRates, "take" | "end">;
}

/** The account that a key manages. Throws UNAUTHENTICATED, SCOPE_FORBIDDEN, and RATE_LIMITED after too many invalid keys. */
export type SignIn = (req: Request, key: string) => Promise<string>;

export function createSignIn({ identify, callRates }: SignInDeps): SignIn {
	return async (req, key) => {
		const credential = { scheme: "api_key", key } as const;
		const caller = {
			address: toCallerAddress(req.ip),
			credentialKey: toCredentialKey(credential),
			isPolling: false,
		};
		if (callRates.take(caller).some(({ isLetIn }) => !isLetIn)) {
			throw new ServiceError(
				"RATE_LIMITED",
				"Too many keys that are not valid came from your address; wait a minute, then try again.",
			);
		}
		try {
			const { access } = await identify(credential);
			if (access?.isManager) return access.accountId;
		} catch (error) {
			if (!(error instanceof ServiceError && error.code === "UNAUTHENTICATED")) throw error;
			callRates.end(caller, { isRefused: true, hasLeft: false });
			throw new ServiceError(
				"UNAUTHENTICATED",
				"This key is not known here, has expired or was revoked.",
			);
		}
		throw new ServiceError(
			"SCOPE_FORBIDDEN",
			"This key may pay, but does not manage its account; use one that does.",
		);
	};
}
