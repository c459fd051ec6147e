import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { Skeleton } from "../form-parts.js";
import { Refusal } from "./admin-api.js";

/** What a part waits for, and what it says when that does not come. */

export interface Loaded<T> {
	readonly value: T | undefined;
	readonly problem: string | undefined;
	/** Asks again; what is shown stays until then. */
	readonly reload: () => void;
}

/** Asks as often as one of `keys` changes. */
export function useLoad<T>(ask: () => Promise<T>, keys: readonly unknown[] = []): Loaded<T> {
	const [state, setState] = useState<{ value?: T; problem?: string }>({});
	const [turn, setTurn] = useState(0);
	useEffect(() => {
		let isWanted = true;
		ask().then(
			(value) => isWanted && setState({ value }),
			(error: unknown) => isWanted && setState({ problem: wordsOf(error) }),
		);
		return () => {
			isWanted = false;
		};
	}, [turn, ...keys]);
	const reload = useCallback(() => setTurn((last) => last + 1), []);
	return { value: state.value, problem: state.problem, reload };
}

export function wordsOf(error: unknown): string {
	if (error instanceof Refusal) return error.message;
	return "The server did not answer. Look at what was to change before you try it again.";
}

/** Shows what has come, in place of a frame of the same size. */
export function Shown<T>({
	of: { value, problem, reload },
	children,
}: {
	readonly of: Loaded<T>;
	readonly children: (value: T) => ComponentChildren;
}) {
	if (value !== undefined) return <>{children(value)}</>;
	if (problem === undefined) return <Skeleton />;
	return (
		<div class="state" role="alert">
			<p>{problem}</p>
			<div class="row">
				<button class="btn btn-sm" type="button" onClick={reload}>
					Ask again
				</button>
				<a class="btn btn-sm btn-quiet" href="/admin/ui">
					Sign in again
				</a>
			</div>
		</div>
	);
}

/** Runs one thing at a time that may fail, and says why it did. */
export function useGuard() {
	const [problem, setProblem] = useState<string>();
	const [isBusy, setBusy] = useState(false);
	const guard = async (work: () => Promise<void>): Promise<void> => {
		setBusy(true);
		setProblem(undefined);
		try {
			await work();
		} catch (error) {
			setProblem(toProblem(error));
		} finally {
			setBusy(false);
		}
	};
	return { problem, isBusy, guard };
}

/** What is refused so was not begun; a conflict may be with what the same command did before. */
const UNDONE: ReadonlySet<number> = new Set([400, 401, 403, 404, 412, 422]);

function toProblem(error: unknown): string {
	if (error instanceof Refusal && UNDONE.has(error.status))
		return `${error.message} Nothing has changed.`;
	return error instanceof Unusable ? error.message : wordsOf(error);
}

/** What was given cannot be used; the message says why. */
export class Unusable extends Error {
	constructor(message: string) {
		super(message);
		this.name = "Unusable";
	}
}
