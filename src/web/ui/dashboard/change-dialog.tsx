import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { visibleText } from "../../../kernel/visible-text.js";
import { toHex } from "../calls.js";
import { say } from "../say.js";
import type { Admin } from "./admin-api.js";
import { useGuard } from "./loading.js";

/** One change: what is filled in, what it would do, and then that it is done. */

export interface ChangeField {
	readonly name: string;
	readonly label: string;
	readonly value?: string;
	readonly hint?: string;
	readonly isAmount?: boolean;
	readonly isOptional?: boolean;
	readonly options?: readonly string[];
}

export interface ChangeOrder {
	readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
	readonly path: string;
	readonly body?: Readonly<Record<string, unknown>>;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface Change {
	readonly title: string;
	/** What follows, and whether it can be undone. */
	readonly words: string;
	readonly verb: string;
	readonly isStop?: boolean;
	readonly fields?: readonly ChangeField[];
	readonly toOrder: (values: Readonly<Record<string, string>>) => ChangeOrder;
	/** False where the server cannot say beforehand what would change. */
	readonly rehearses: boolean;
	/** What is said once it is done, by the server's reply; that it is done where absent. */
	readonly toSaid?: (result: { readonly state?: unknown }) => string;
	readonly onDone: () => void;
}

interface Rehearsal {
	readonly before: unknown;
	readonly after: unknown;
}

type Step =
	| { readonly at: "fields" }
	| {
			readonly at: "ready";
			readonly order: ChangeOrder;
			readonly rehearsal?: Rehearsal | undefined;
	  }
	| { readonly at: "secret"; readonly secret: string };

export function ChangeDialog({
	admin,
	change,
	onClose,
}: {
	readonly admin: Admin;
	readonly change: Change;
	readonly onClose: () => void;
}) {
	const [step, setStep] = useState<Step>({ at: "fields" });
	const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
		Object.fromEntries(
			(change.fields ?? []).map(({ name, value = "", options }) => [
				name,
				value || (options?.[0] ?? ""),
			]),
		),
	);
	const { isBusy, problem, guard } = useGuard();
	// What is sent again because no answer came is carried out once.
	const key = useMemo(() => toHex(crypto.getRandomValues(new Uint8Array(16))), [values]);
	const prepare = () =>
		guard(async () => {
			const order = change.toOrder(values);
			const { path, method, body } = order;
			const rehearsal = change.rehearses
				? await admin.ask<Rehearsal>(path, { method, body: { ...body, dry_run: true } })
				: undefined;
			setStep({ at: "ready", order, rehearsal });
			document.getElementById("dialog-t")?.focus();
		});
	const carryOut = ({ path, method, body, headers }: ChangeOrder) =>
		guard(async () => {
			const result = await admin.ask<object>(path, {
				method,
				body: body ?? {},
				headers: { ...headers, "Idempotency-Key": key },
			});
			change.onDone();
			const secret = "key" in result ? result.key : "token" in result ? result.token : undefined;
			if (typeof secret === "string") return setStep({ at: "secret", secret });
			say(change.toSaid?.(result) ?? `Done: ${change.title}.`);
			onClose();
		});
	useEffect(() => {
		if (!change.fields) void prepare();
	}, []);
	return (
		<Dialog title={change.title} onClose={onClose}>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					if (isBusy) return;
					void (step.at === "ready" ? carryOut(step.order) : prepare());
				}}
			>
				<div class="card-body">
					{step.at !== "secret" && <p>{change.words}</p>}
					{step.at === "fields" && (
						<Fields fields={change.fields ?? []} values={values} onChange={setValues} />
					)}
					{step.at === "ready" && step.rehearsal && <Difference {...step.rehearsal} />}
					{step.at === "secret" && (
						<>
							<p>This is shown once. Keep it where no one else reads it.</p>
							<pre class="card json" tabIndex={0}>
								<code>{step.secret}</code>
							</pre>
						</>
					)}
					{problem !== undefined && (
						<p class="err" role="alert">
							{problem}
						</p>
					)}
				</div>
				<Foot change={change} step={step} isBusy={isBusy} onClose={onClose} />
			</form>
		</Dialog>
	);
}

function Foot({
	change,
	step,
	isBusy,
	onClose,
}: {
	readonly change: Change;
	readonly step: Step;
	readonly isBusy: boolean;
	readonly onClose: () => void;
}) {
	return (
		<footer>
			<button class="btn" type="button" onClick={onClose}>
				{step.at === "secret" ? "Close" : "Cancel"}
			</button>
			{step.at === "fields" && change.fields && (
				<button class="btn btn-pay" type="submit" aria-busy={isBusy}>
					{change.rehearses ? "See what would change" : "Go on"}
				</button>
			)}
			{step.at === "ready" && (
				<button
					class={change.isStop ? "btn btn-stop" : "btn btn-pay"}
					type="submit"
					aria-busy={isBusy}
					data-carry-out
				>
					{change.verb}
				</button>
			)}
		</footer>
	);
}

/** A native dialog: the keyboard stays in it, Escape closes it, and what opened it has the focus again afterwards. */
export function Dialog({
	title,
	onClose,
	children,
}: {
	readonly title: string;
	readonly onClose: () => void;
	readonly children: ComponentChildren;
}) {
	const place = useRef<HTMLDialogElement>(null);
	// Before the next key is read: Tab would move on in the page behind.
	useLayoutEffect(() => {
		const opener = document.activeElement as HTMLElement | null;
		const dialog = place.current;
		dialog?.showModal();
		return () => {
			// While it is open nothing behind it takes the focus.
			dialog?.close();
			opener?.focus();
		};
	}, []);
	return (
		<dialog
			ref={place}
			aria-labelledby="dialog-t"
			onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
		>
			<div class="card-head">
				<h2 id="dialog-t" tabIndex={-1}>
					{title}
				</h2>
			</div>
			{children}
		</dialog>
	);
}

function Fields({
	fields,
	values,
	onChange,
}: {
	readonly fields: readonly ChangeField[];
	readonly values: Readonly<Record<string, string>>;
	readonly onChange: (values: Readonly<Record<string, string>>) => void;
}) {
	return (
		<>
			{fields.map(({ name, label, hint, isAmount, isOptional, options }) => {
				const own = {
					id: `change-${name}`,
					value: values[name] ?? "",
					"aria-describedby": hint ? `change-${name}-h` : undefined,
				};
				const set = (value: string) => onChange({ ...values, [name]: value });
				return (
					<div class="field" key={name}>
						<label for={own.id}>{label}</label>
						{options ? (
							<select {...own} onChange={(event) => set(event.currentTarget.value)}>
								{options.map((one) => (
									<option key={one}>{one}</option>
								))}
							</select>
						) : (
							<input
								{...own}
								inputMode={isAmount ? "decimal" : undefined}
								autocomplete="off"
								required={!isOptional}
								maxLength={500}
								onInput={(event) => set(event.currentTarget.value)}
							/>
						)}
						{hint && (
							<p class="hint" id={`change-${name}-h`}>
								{hint}
							</p>
						)}
					</div>
				);
			})}
		</>
	);
}

const SHOWN = 40;

/** The fields that would be others, by their names. */
function Difference({ before, after }: Rehearsal) {
	const [old, now] = [flatten(before), flatten(after)];
	const names = [...new Set([...old.keys(), ...now.keys()])].filter(
		(name) => old.get(name) !== now.get(name),
	);
	if (names.length === 0) return <p>Nothing would change.</p>;
	return (
		<section class="table-wrap" tabIndex={0} aria-label="What would change">
			<table class="tbl tbl-compact">
				<thead>
					<tr>
						<th scope="col">What</th>
						<th scope="col">Now</th>
						<th scope="col">Then</th>
					</tr>
				</thead>
				<tbody>
					{names.slice(0, SHOWN).map((name) => (
						<tr key={name}>
							<th scope="row">{name}</th>
							<td>{visibleText(old.get(name) ?? "none")}</td>
							<td>{visibleText(now.get(name) ?? "none")}</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

function flatten(value: unknown, path = ""): ReadonlyMap<string, string> {
	if (typeof value !== "object" || value === null) {
		return value === null || value === undefined ? new Map() : new Map([[path, String(value)]]);
	}
	return new Map(
		Object.entries(value).flatMap(([name, one]) => [
			...flatten(one, path ? `${path} ${name}` : name),
		]),
	);
}
