import type { Request, RequestHandler, Response } from "express";
import type { Interaction, InteractionResults } from "oidc-provider";
import { type GrantHolder, OAUTH_LIMITS, parseLimit } from "../accounts/accounts.js";
import { OAUTH_SCOPE, type PageContent } from "../contract/contract.js";
import {
	createTypedCredentials,
	type OpenTyped,
	readForm,
	STATUS_OF,
	sendPage,
} from "../http/http.js";
import {
	createTurnQueue,
	formatUsd,
	invalidArgument,
	type Micros,
	ServiceError,
} from "../kernel/kernel.js";
import { createBrowserBinding, createFormProof } from "./browser-proof.js";
import {
	type AskingClient,
	type ConsentView,
	consentPage,
	failurePage,
	loginPage,
	toPriceTable,
} from "./interaction-pages.js";
import type { OAuthServices } from "./oauth-services.js";
import { type OAuthProvider, type ProviderGate, setSession } from "./provider.js";

interface Step {
	readonly oauth: OAuthProvider;
	readonly interaction: Interaction;
	readonly client: AskingClient;
	readonly resource: string;
	readonly csrf: string;
}

interface StepServices extends OAuthServices {
	readonly binding: ReturnType<typeof createBrowserBinding>;
	readonly agreeOnce: Agree;
	readonly openTyped: OpenTyped;
	/** Sends a page to the one user it is for. */
	readonly send: (res: Response, status: number, page: PageContent) => Promise<void>;
}

/** Two pages: who are you, and do you agree. Without a script, and without a session that outlives them. */
export function createInteractionRoutes(
	services: OAuthServices,
	{ open, prepare, interactions }: ProviderGate,
) {
	const binding = createBrowserBinding(services);
	const agreeOnce = createAgree({ ...services, interactions });
	const { grants, pepper, service, callRates, renderPage } = services;
	const send: StepServices["send"] = async (res, status, page) =>
		sendPage(res, status, await renderPage(page));
	const openTyped = createTypedCredentials(callRates);
	const deps: StepServices = { ...services, binding, agreeOnce, openTyped, send };
	const proof = createFormProof(pepper, () => new URL(service.info.baseUrl()).origin);
	const openStep = async (req: Request, res: Response): Promise<Step> => {
		prepare(req);
		const oauth = await open();
		const interaction = await oauth.provider.interactionDetails(req, res);
		if (interaction.uid !== req.params["uid"]) throw lostStep();
		const { params, uid, prompt } = interaction;
		// Anyone who signs in again is bound again.
		if (prompt.name !== "login" && !binding.holds(req, interaction)) throw lostStep();
		return {
			oauth,
			interaction,
			client: toAskingClient(interaction),
			resource: String(params["resource"]),
			csrf: proof.of(`${prompt.name} ${uid}`),
		};
	};
	const show = withPages(send, async (req, res) => {
		const step = await openStep(req, res);
		const isLogin = step.interaction.prompt.name === "login";
		await send(res, 200, isLogin ? loginPage(step) : await toConsent(deps, step));
	});
	const submit = withPages(send, async (req, res) => {
		const step = await openStep(req, res);
		const form = await readForm(req);
		const { prompt, uid, result } = step.interaction;
		proof.assert(req, form, `${prompt.name} ${uid}`);
		const finish = (end: InteractionResults) =>
			step.oauth.provider.interactionFinished(req, res, end);
		if (form.get("step") === "decline") {
			const { grantId } = result?.consent ?? {};
			// Allowed first, and thought better of.
			if (grantId !== undefined) await grants.end(grantId);
			return finish({ error: "access_denied", error_description: "the user declined" });
		}
		const submission = { step, form, req, res, finish };
		return prompt.name === "login" ? login(deps, submission) : agree(deps, submission);
	});
	/** Leads on from a page, in the session that the step was opened in; the step is the one the provider will take. */
	const resume: RequestHandler = async (req, res, next) => {
		const { provider } = await open();
		const uid = String(req.params["uid"]);
		// The provider goes by the cookie alone, whatever the path names.
		const { cookies } = provider.createContext(req, res);
		const shown = cookies.get(provider.cookieName("resume"), { signed: true });
		const step = shown === uid ? await provider.Interaction.find(uid) : undefined;
		if (!step || !binding.holds(req, step)) throw lostStep();
		setSession(req, step.session?.uid);
		next();
	};
	return { show, submit, resume };
}

interface Submission {
	readonly step: Step;
	readonly form: URLSearchParams;
	readonly req: Request;
	readonly res: Response;
	readonly finish: (result: InteractionResults) => Promise<void>;
}

async function login(
	deps: StepServices,
	{ step, form, req, res, finish }: Submission,
): Promise<void> {
	try {
		const accountId = await signIn(deps, req, form.get("key")?.trim() ?? "");
		const browser = deps.binding.begin(res, step.interaction);
		await finish({ login: { accountId, remember: false, browser } });
	} catch (error) {
		await deps.send(res, statusOf(error), loginPage({ ...step, error: messageOf(error) }));
	}
}

async function agree(deps: StepServices, { step, form, res }: Submission): Promise<void> {
	const budget = form.get("budget")?.trim().replace(/^\$/, "") ?? "";
	const keepsEarlier = form.get("keep") === "yes";
	const label = `${step.client.name ?? "Application"} (OAuth)`;
	try {
		const budgetMicros = parseLimit(budget);
		const terms = { ...toHolder(step), budgetMicros, label, keepsEarlier };
		await deps.agreeOnce({ ...step, ...terms });
		res.writeHead(303, { Location: step.interaction.returnTo, "Content-Length": "0" }).end();
	} catch (error) {
		const page = await toConsent(deps, step, { budget, keepsEarlier, error: messageOf(error) });
		await deps.send(res, statusOf(error), page);
	}
}

async function toConsent(
	{ service, grants, readAccount }: OAuthServices,
	step: Step,
	shown: Partial<Pick<ConsentView, "budget" | "keepsEarlier" | "error">> = {},
): Promise<PageContent> {
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
function withPages(
	send: StepServices["send"],
	answer: (req: Request, res: Response) => Promise<void>,
): RequestHandler {
	return async (req, res) => {
		try {
			await answer(req, res);
		} catch (error) {
			if (res.headersSent) throw error;
			const isLost = error instanceof Error && error.name === "SessionNotFound";
			const shown = isLost ? lostStep() : error;
			if (!(shown instanceof ServiceError)) throw error;
			await send(res, statusOf(shown), failurePage(shown.message));
		}
	};
}

function statusOf(error: unknown): number {
	return error instanceof ServiceError ? STATUS_OF[error.code] : 500;
}

/** Throws what no user can do anything about. */
function messageOf(error: unknown): string {
	if (error instanceof ServiceError) return error.message;
	throw error;
}

/** The account that a key manages. Throws UNAUTHENTICATED, SCOPE_FORBIDDEN, and RATE_LIMITED after too many invalid keys. */
async function signIn(
	{ openTyped, service }: StepServices,
	req: Request,
	key: string,
): Promise<string> {
	const identify = () => service.identify({ scheme: "api_key", key });
	const { access } = await openTyped(req, { secret: key, identify, open: identify });
	if (access?.isManager) return access.accountId;
	throw new ServiceError(
		"SCOPE_FORBIDDEN",
		"This key may pay, but does not manage its account; use one that does.",
	);
}

/** What a user has agreed to, and where. */
interface Agreement extends GrantHolder {
	readonly oauth: OAuthProvider;
	readonly interaction: Interaction;
	readonly budgetMicros: Micros;
	readonly label: string;
	/** Whether access that the client has already stays beside the new one, which else takes its place when it is used. */
	readonly keepsEarlier: boolean;
}

type Agree = ReturnType<typeof createAgree>;

interface AgreeServices extends OAuthServices {
	readonly interactions: ProviderGate["interactions"];
}

/** Makes key and grant, one for each step whatever was pressed, and wherever: what was agreed to last holds. */
function createAgree(services: AgreeServices) {
	const turns = createTurnQueue();
	return async (agreement: Agreement): Promise<void> => {
		const leave = await turns.enter(agreement.interaction.uid);
		try {
			// Again where another process was faster, and what it was agreed to is the last now.
			while (!(await replace(services, agreement)));
		} finally {
			leave();
		}
	};
}

/** False where the step has changed meanwhile, and then nothing has. */
async function replace(services: AgreeServices, agreement: Agreement): Promise<boolean> {
	const { oauth, budgetMicros, keepsEarlier } = agreement;
	// What was read when the button was pressed may have been pressed before.
	const interaction = await oauth.provider.Interaction.find(agreement.interaction.uid);
	if (!interaction) throw lostStep();
	// A button pressed twice says the same.
	const terms = `${budgetMicros} ${keepsEarlier}`;
	const last = interaction.result?.consent;
	// One that no one claimed in time is over.
	const isSame = last?.["terms"] === terms && (await oauth.provider.Grant.find(last.grantId ?? ""));
	if (isSame) return true;
	const isMade = await open(services, agreement, { last: last?.grantId, terms });
	if (isMade && last?.grantId !== undefined) await services.grants.end(last.grantId);
	return isMade;
}

/** The grant is found by its key, and ends with it; without a grant no one could use the key, so it goes as well. */
async function open(
	{ grants, records, interactions }: AgreeServices,
	agreement: Agreement,
	{ last, terms }: { readonly last: string | undefined; readonly terms: string },
): Promise<boolean> {
	const { oauth, interaction, accountId, clientId, resource, keepsEarlier } = agreement;
	const earlier = keepsEarlier ? [] : await grants.find(agreement);
	const keyId = await grants.open(agreement);
	let isKept = false;
	try {
		const grant = new oauth.provider.Grant({ accountId, clientId });
		grant.jti = keyId;
		grant.addResourceScope(resource, OAUTH_SCOPE);
		await grant.save();
		await records.setReplaced(keyId, earlier);
		const consent = { grantId: keyId, terms };
		isKept = await interactions.change(interaction.uid, (payload) => {
			if (payload.result?.consent?.grantId !== last) return undefined;
			return { ...payload, result: { ...payload.lastSubmission, consent } };
		});
	} finally {
		if (!isKept) await grants.end(keyId);
	}
	return isKept;
}

/** What a user sees whose step has ended, went on elsewhere, or is that of someone else. */
function lostStep(): ServiceError {
	return invalidArgument(
		"This request for access is no longer open; go back to the application and start again.",
	);
}
