import compression from "compression";
import { type Request, type RequestHandler, type Response, Router } from "express";
import {
	type CallRates,
	createTypedCredentials,
	type OpenTyped,
	readForm,
	STATUS_OF,
} from "../http/http.js";
import { notFound, ServiceError } from "../kernel/kernel.js";
import type { OperatorSession, OperatorSessions } from "../operator/operator.js";
import { type AdminAccess, assertInReach } from "./admin-access.js";
import type { BrowserSessions } from "./browser-sessions.js";

/** The owner's dashboard: its pages have no figures of their own, and ask the admin API for all of them. */

export const DASHBOARD_PATH = "/admin/ui";

/** How pages look; the transport of pages knows. */
export interface DashboardPages {
	/** Undefined where there is no such part. */
	readonly section: (name: string, session: OperatorSession) => Promise<string | undefined>;
	readonly signIn: (problem?: string) => Promise<string>;
	/** Content-Security-Policy of both. */
	readonly policy: string;
}

interface DashboardDeps {
	readonly access: Omit<AdminAccess, "sessions">;
	readonly browsers: BrowserSessions;
	readonly sessions: Pick<OperatorSessions, "noteFailure">;
	readonly rates: CallRates;
	readonly pages: DashboardPages;
}

type SignInDeps = Pick<DashboardDeps, "browsers" | "sessions" | "pages"> & {
	readonly openTyped: OpenTyped;
};

export function createDashboardRouter(deps: DashboardDeps): Router {
	const { access, browsers, pages } = deps;
	const signInDeps = { ...deps, openTyped: createTypedCredentials(deps.rates) };
	const router = Router();
	router.use(compression());
	router.use((req, res, next) => {
		assertInReach(access, req);
		for (const [name, value] of Object.entries(OWN_HEADERS)) res.setHeader(name, value);
		res.removeHeader("Access-Control-Allow-Origin");
		res.setHeader("Content-Security-Policy", pages.policy);
		next();
	});
	const show: RequestHandler = async (req, res) => {
		const session = await browsers.find(req);
		const name = String(req.params["section"] ?? FIRST_SECTION);
		if (!session) {
			res.type("html").send(await pages.signIn());
			return;
		}
		const page = await pages.section(name, session);
		if (page === undefined) throw notFound(`The dashboard has no part "${name.slice(0, 40)}".`);
		res.type("html").send(page);
	};
	router.get("/", show);
	router.get("/:section", show);
	router.post("/session", async (req, res) => signIn(signInDeps, req, res));
	router.post("/session/end", async (req, res) => {
		browsers.assertOwnPage(req);
		await browsers.end(req, res, (await readForm(req)).get("csrf"));
		res.redirect(303, DASHBOARD_PATH);
	});
	return router;
}

const FIRST_SECTION = "overview";

const OWN_HEADERS = {
	"Cache-Control": "no-store",
	"X-Frame-Options": "DENY",
	"Cross-Origin-Resource-Policy": "same-origin",
	// Without a referrer, browsers hide the origin of forms as well, which is what a sign-in is judged by.
	"Referrer-Policy": "same-origin",
};

async function signIn(deps: SignInDeps, req: Request, res: Response): Promise<void> {
	const { browsers, pages } = deps;
	try {
		browsers.assertOwnPage(req);
		const credential = (await readForm(req)).get("key")?.trim() ?? "";
		await openSession(deps, { req, res, credential });
		res.redirect(303, DASHBOARD_PATH);
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		res
			.status(STATUS_OF[error.code])
			.type("html")
			.send(await pages.signIn(error.message));
	}
}

/** Throws UNAUTHENTICATED for what is no key here, and RATE_LIMITED after too many of those. */
async function openSession(
	{ browsers, sessions, openTyped }: SignInDeps,
	{
		req,
		res,
		credential,
	}: { readonly req: Request; readonly res: Response; readonly credential: string },
): Promise<void> {
	const unknownKey = () => new ServiceError("UNAUTHENTICATED", UNKNOWN_KEY);
	await openTyped(req, {
		secret: credential,
		unknown: UNKNOWN_KEY,
		async identify() {
			if (!(await browsers.knows(req, credential))) throw unknownKey();
		},
		async open() {
			if (await browsers.begin(req, res, credential)) return;
			await sessions.noteFailure();
			throw unknownKey();
		},
	});
}

const UNKNOWN_KEY =
	"This key is not known here, or was revoked. The admin token opens the dashboard on its own machine alone.";
