import { Fragment } from "preact";
import { DASHBOARD_GROUPS, type DashboardState } from "./dashboard-parts.js";
import { renderPage, type Site } from "./layout.js";
import { Icon } from "./parts.js";

/** The frame of the owner's dashboard. Its figures are asked for by its script, from the admin API, as anybody with a key may. */

/** Who is signed in. */
export interface DashboardUser {
	readonly actor: { readonly name: string; readonly role: DashboardState["role"] };
	/** The proof that its pages send with each request. */
	readonly csrf: string;
	/** Epoch milliseconds at which the session ends. */
	readonly until: number;
}

/** Undefined where there is no such part. */
export function renderDashboard(
	site: Site,
	name: string,
	{ actor, csrf, until }: DashboardUser,
): string | undefined {
	const parts = DASHBOARD_GROUPS.flatMap(({ parts }) => parts);
	const part = parts.find((one) => one.name === name);
	if (!part) return undefined;
	const state: DashboardState = {
		part: part.name,
		...{ csrf, role: actor.role, isDemo: site.isDemo },
	};
	const head = {
		title: `${part.title}: tollgraph dashboard`,
		description: "Earnings, calls, refusals, unanswered questions, graphs and payouts.",
		path: `/admin/ui/${part.name}`,
		scripts: ["dashboard.js"],
		styles: ["dashboard.css"],
		isListed: false,
	};
	return renderPage(
		site,
		head,
		<div class="shell">
			<nav class="side" aria-label="Dashboard">
				{DASHBOARD_GROUPS.map((group) => (
					<Fragment key={group.title}>
						<h2>{group.title}</h2>
						<ul class="plain">
							{group.parts.map((one) => (
								<li key={one.name}>
									<a
										href={`/admin/ui/${one.name}`}
										aria-current={one.name === part.name ? "page" : undefined}
									>
										{one.title}
									</a>
								</li>
							))}
						</ul>
					</Fragment>
				))}
				<form class="who" method="post" action="/admin/ui/session/end">
					<p class="small muted">
						{actor.name}, {actor.role}. The session ends{" "}
						<time dateTime={new Date(until).toISOString()}>
							{new Date(until).toISOString().slice(11, 16)} UTC
						</time>
						, or after half an hour without a request.
					</p>
					<input type="hidden" name="csrf" value={csrf} />
					<button class="btn btn-sm" type="submit">
						Sign out
					</button>
				</form>
			</nav>
			<div class="panel" data-dashboard={JSON.stringify(state)}>
				<h1 class="h-panel">{part.title}</h1>
				<noscript>
					<p class="state">
						The figures need a script. The same ones come from the command line (tollgraph --help)
						and from the admin API below /v1/admin.
					</p>
				</noscript>
				<div id="part" />
			</div>
		</div>,
	);
}

export function renderSignIn(site: Site, problem?: string): string {
	const head = {
		title: "Sign in: tollgraph dashboard",
		description: "The dashboard of the operators of this server.",
		path: "/admin/ui",
		styles: ["dashboard.css"],
		isListed: false,
	};
	return renderPage(
		site,
		head,
		<div class="wrap sign-in">
			<form class="card stack" method="post" action="/admin/ui/session">
				<h1 class="h-panel">Sign in to the dashboard</h1>
				<div class="field">
					<label for="key">Operator's key</label>
					<input
						id="key"
						name="key"
						type="password"
						autocomplete="off"
						spellcheck={false}
						required
						maxLength={200}
						aria-describedby={problem === undefined ? "key-h" : "key-h key-e"}
						aria-invalid={problem === undefined ? undefined : true}
					/>
					<p class="hint" id="key-h">
						It begins with opk_: <code>tollgraph operators add</code> makes one. On its own machine
						the admin token of the data folder is taken, too.
					</p>
					{problem !== undefined && (
						<p class="err" id="key-e" role="alert">
							<Icon name="warning" />
							<span>{problem}</span>
						</p>
					)}
				</div>
				<button class="btn btn-pay" type="submit">
					Sign in
				</button>
			</form>
		</div>,
	);
}
