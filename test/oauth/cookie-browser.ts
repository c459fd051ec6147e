/** A browser without windows: it keeps cookies, and follows redirects within one server. */
export interface Browser {
	/** What it remembers, by name and path. */
	readonly cookies: Map<string, Cookie>;
	/** Follows redirects within the server; the last answer, and where it would lead outside. */
	get(url: string): Promise<Visited>;
	post(
		url: string,
		fields: Record<string, string>,
		headers?: Record<string, string>,
	): Promise<Visited>;
	/** Sends a form, and does not wait to be led on. */
	press(url: string, fields: Record<string, string>): Promise<void>;
}

interface Cookie {
	readonly name: string;
	readonly value: string;
	readonly path: string;
	/** As it was sent. */
	readonly line: string;
}

export interface Visited {
	readonly url: string;
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	/** Where the server sent the browser, outside of itself. */
	readonly left: URL | undefined;
}

/**
 * `known` is the address the server goes by, where that is another than the one it listens on. A balancer is several bases, of
 * which each request goes to the next.
 */
export function createBrowser(base: string | readonly string[], known = [base].flat()[0]): Browser {
	const bases = [base].flat();
	let requests = 0;
	// A proxy in front takes off the path it is known by.
	const nextOf = (url: string) => new URL(url, bases[requests++ % bases.length]);
	const prefix = new URL(String(known)).pathname.replace(/\/$/, "");
	const { origin } = new URL(String(known));
	const cookies = new Map<string, Cookie>();
	const cookiesFor = (url: URL) =>
		[...cookies.values()]
			.filter(({ path }) => `${prefix}${url.pathname}`.startsWith(path))
			.map(({ name, value }) => `${name}=${value}`)
			.join("; ");
	const keep = (headers: Headers) => {
		for (const line of headers.getSetCookie()) {
			const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
			const at = pair.indexOf("=");
			const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
			const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? "/";
			const key = `${name} ${path}`;
			if (value === "") cookies.delete(key);
			else cookies.set(key, { name, value, path, line });
		}
	};
	const visit = async (url: string, init: RequestInit = {}): Promise<Visited> => {
		const target = nextOf(url);
		const headers = {
			Cookie: cookiesFor(target),
			Accept: "text/html",
			...(init.headers as object),
		};
		const response = await fetch(target, { ...init, headers, redirect: "manual" });
		keep(response.headers);
		const text = await response.text();
		const location = response.headers.get("location");
		const next = location === null ? undefined : new URL(location, target);
		if (next && [target.origin, origin].includes(next.origin)) {
			const { pathname, search } = next;
			const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
			return visit(`${path}${search}`);
		}
		return {
			url: target.href,
			status: response.status,
			headers: response.headers,
			text,
			left: next,
		};
	};
	return {
		cookies,
		async press(url, fields) {
			const target = nextOf(url);
			const response = await fetch(target, {
				method: "POST",
				body: new URLSearchParams(fields),
				headers: { Origin: origin, Cookie: cookiesFor(target) },
				redirect: "manual",
			});
			keep(response.headers);
		},
		get: (url) => visit(url),
		post: (url, fields, headers = {}) =>
			visit(url, {
				method: "POST",
				body: new URLSearchParams(fields),
				headers: { Origin: origin, ...headers },
			}),
	};
}
