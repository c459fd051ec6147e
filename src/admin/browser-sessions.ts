import type { Request, Response } from "express";
import type { OperatorCheck } from "../http/http.js";
import { isSameSecret, ServiceError } from "../kernel/kernel.js";
import type {
	Actor,
	OpenedSession,
	OperatorSession,
	OperatorSessions,
} from "../operator/operator.js";

/** The cookie of operators who are signed in, and the proofs that a request with it comes from a page of ours. */

export type BrowserSessions = ReturnType<typeof createBrowserSessions>;

/** The header in which pages send the proof that they were given. */
const CSRF_HEADER = "x-csrf-token";

export function createBrowserSessions({
	sessions,
	check,
	baseUrl,
}: {
	readonly sessions: OperatorSessions;
	readonly check: Pick<OperatorCheck, "isNear">;
	readonly baseUrl: () => string;
}) {
	const { isEncrypted, nameOf, secretOf } = createSessionCookie(baseUrl);
	const placeOf = (req: Request) => ({ isNear: check.isNear(req) });
	const optionsFor = (req: Request) =>
		({ path: "/", httpOnly: true, sameSite: "strict", secure: isEncrypted(req) }) as const;
	const assertOwnPage = createOwnPageCheck(isEncrypted);
	const find = async (req: Request): Promise<OperatorSession | undefined> => {
		const secret = secretOf(req);
		return secret === undefined ? undefined : sessions.find(secret, placeOf(req));
	};
	return {
		find,
		assertOwnPage,
		/** Undefined where it shows no session. Throws UNAUTHENTICATED for one that has ended, SCOPE_FORBIDDEN without its proofs. */
		async actorOf(req: Request): Promise<Actor | undefined> {
			if (secretOf(req) === undefined) return undefined;
			assertOwnPage(req);
			const session = await find(req);
			if (!session) {
				throw new ServiceError(
					"UNAUTHENTICATED",
					"This session has ended; sign in again at /admin/ui.",
				);
			}
			assertProof(session, req.headers[CSRF_HEADER]);
			return session.actor;
		},
		/** Whether the credential could open a session. */
		knows: (req: Request, credential: string): Promise<boolean> =>
			sessions.knows(credential, placeOf(req)),
		/** Undefined for a credential that opens nothing here. */
		async begin(
			req: Request,
			res: Response,
			credential: string,
		): Promise<OpenedSession | undefined> {
			const opened = await sessions.begin(credential, { ...placeOf(req), earlier: secretOf(req) });
			if (opened) res.cookie(nameOf(req), opened.secret, optionsFor(req));
			return opened;
		},
		/** Throws SCOPE_FORBIDDEN without the proof of its page. */
		async end(req: Request, res: Response, proof: string | null): Promise<void> {
			const session = await find(req);
			if (session) {
				assertProof(session, proof ?? undefined);
				await sessions.end(secretOf(req) ?? "", placeOf(req));
			}
			res.clearCookie(nameOf(req), optionsFor(req));
		},
	};
}

function assertProof({ csrf }: OperatorSession, shown: string | readonly string[] | undefined) {
	if (typeof shown === "string" && isSameSecret(shown, csrf)) return;
	throw new ServiceError(
		"SCOPE_FORBIDDEN",
		"The request lacks the proof that a page of this session sent it; load the dashboard again.",
	);
}

/** Where the secret of a session stands. */
function createSessionCookie(baseUrl: () => string) {
	/** As the browser sees it, behind a proxy too. */
	const isEncrypted = (req: Request): boolean => {
		if (req.protocol === "https") return true;
		const base = URL.canParse(baseUrl()) ? new URL(baseUrl()) : undefined;
		return base?.protocol === "https:" && base.host === req.headers.host;
	};
	// No other host can plant a cookie that begins with __Host-; beside that, cookies know no ports, so the name does.
	const nameOf = (req: Request): string =>
		isEncrypted(req)
			? "__Host-tollgraph_operator"
			: `tollgraph_operator_${/:(\d+)$/.exec(req.headers.host ?? "")?.[1] ?? "80"}`;
	const secretOf = (req: Request): string | undefined => {
		const prefix = `${nameOf(req)}=`;
		const shown = (req.headers.cookie ?? "")
			.split(";")
			.map((pair) => pair.trim())
			.filter((pair) => pair.startsWith(prefix));
		// Two of one name: one of them was planted, and no one knows which.
		return shown.length === 1 ? shown[0]?.slice(prefix.length) : undefined;
	};
	return { isEncrypted, nameOf, secretOf };
}

function createOwnPageCheck(isEncrypted: (req: Request) => boolean) {
	/** Throws SCOPE_FORBIDDEN for what another site sends, or may have sent. */
	return (req: Request): void => {
		const { origin, host, "sec-fetch-site": site } = req.headers;
		const own = `${isEncrypted(req) ? "https" : "http"}://${host}`;
		const isFromHere = site === undefined ? origin === own : site === "same-origin";
		if (isFromHere && (origin === undefined || origin === own)) return;
		throw new ServiceError(
			"SCOPE_FORBIDDEN",
			"This did not come from a page of the dashboard at its own address; nothing was done.",
		);
	};
}
