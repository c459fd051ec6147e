import type { Item, Model } from "../../pages/explorer-model.js";
import { Address, MARK_NAMES, newestOf, Shape } from "../../pages/explorer-parts.js";
import { Icon, Price } from "../../pages/parts.js";
import { type CallReply, chargeOf, refusalOf } from "../calls.js";
import { Skeleton, Trouble } from "../form-parts.js";
import { Receipt } from "../receipt.js";
import type { Joined } from "./answers.js";
import type { Offer } from "./purchases.js";

/** What stands beside the drawing of the mark that is chosen. */

export interface Purchase {
	readonly offer: Offer;
	readonly token: string;
	/** Undefined until it came, "lost" where none came. */
	readonly reply: CallReply | "lost" | undefined;
	readonly joined: Joined | undefined;
}

interface DrawerProps {
	readonly model: Model;
	readonly item: Item;
	/** Concepts without a name round it. */
	readonly paid: number;
	readonly offers: readonly Offer[];
	readonly purchase: Purchase | undefined;
	readonly onShow: (id: string) => void;
	readonly onBuy: (offer: Offer, question: string) => void;
}

const NEAR_MAX = 24;

export function Drawer(props: DrawerProps) {
	const { item, purchase } = props;
	return (
		<>
			<p class="row">
				<span class="badge">{item.mark === "concept" ? item.kind : MARK_NAMES[item.mark]}</span>
				{item.isBought ? <span class="badge badge-pass">Bought</span> : <Price usd="0.00" />}
			</p>
			<h2>
				<bdi>{item.name}</bdi>
			</h2>
			<About {...props} />
			{purchase && <Outcome {...purchase} />}
			<Offers {...props} />
			<Near {...props} />
		</>
	);
}

function About({ model, item, paid }: DrawerProps) {
	const newest = newestOf(item);
	return (
		<>
			{item.summary !== "" && <p>{item.summary}</p>}
			{item.body !== "" && (
				<section class="bought-text" tabIndex={0} aria-label="Text of the concept">
					{item.body}
				</section>
			)}
			{item.url !== "" && (
				<p>
					<Address url={item.url} text={item.url} />
				</p>
			)}
			<dl class="facts">
				{newest !== "" && <Fact name="Newest date" value={newest} />}
				{item.mark === "kind" && <Fact name="Concepts" value={item.count} />}
				{item.mark === "topic" && <Fact name="Concepts that have it" value={item.count} />}
				{item.mark === "host" && <Fact name="Documents cited" value={item.count} />}
				{item.mark === "graph" && <Fact name="Concepts" value={model.data.totals.nodes} />}
				{paid > 0 && <Fact name="Beyond the toll" value={paid} />}
			</dl>
		</>
	);
}

const Fact = ({ name, value }: { readonly name: string; readonly value: string | number }) => (
	<div>
		<dt>{name}</dt>
		<dd>{value.toLocaleString("en-US")}</dd>
	</div>
);

function Offers({ offers, purchase, onBuy }: DrawerProps) {
	if (offers.length === 0) return null;
	const isBusy = purchase !== undefined && purchase.reply === undefined;
	return (
		<section class="stack-2" aria-label="What shows more">
			<h3>What shows more</h3>
			<ul class="offers">
				{offers.map((offer) => (
					<li key={offer.key}>
						<form
							onSubmit={(event) => {
								event.preventDefault();
								const asked = new FormData(event.currentTarget).get("question");
								if (!isBusy) onBuy(offer, String(asked ?? "").trim());
							}}
						>
							<p>
								<strong>{offer.title}</strong>
								<span class="muted small">{offer.about}</span>
							</p>
							{offer.operation === "graphs.search" && (
								<div class="field">
									<label for="explorer-question">Question</label>
									<input
										{...{ id: "explorer-question", name: "question", type: "text" }}
										{...{ required: true, maxLength: 2_000, autocomplete: "off" }}
									/>
								</div>
							)}
							<p class="row">
								<button
									class="btn btn-sm btn-pay"
									type="submit"
									aria-busy={isBusy && purchase.offer.key === offer.key}
								>
									Pay <span class="num">{offer.usd} USD</span>
								</button>
								<a class="small" href={offer.form}>
									Form<span class="vh">: {offer.title}, in the playground</span>
								</a>
							</p>
						</form>
					</li>
				))}
			</ul>
			<p class="small muted">Paid when an answer comes; nothing is charged where none does.</p>
		</section>
	);
}

function Outcome({ offer, reply, joined, token }: Purchase) {
	if (reply === undefined) return <Skeleton />;
	if (reply === "lost") {
		return (
			<Trouble
				title="The server did not answer"
				words="Send it again as it is: it pays once, however often it is sent."
			/>
		);
	}
	const refusal = refusalOf(reply);
	if (refusal) {
		return <Trouble title="The call was refused" words={`${refusal.message} ${chargeOf(reply)}`} />;
	}
	return (
		<section class="stack-2" aria-label="What was bought">
			<p class="row" role="status">
				<span class="badge badge-pass">{joined ? joinedWords(joined) : "Nothing came back"}</span>
			</p>
			<Receipt reply={reply} title={offer.title} token={token} />
		</section>
	);
}

function joinedWords({ concepts, links, events }: Joined): string {
	const counts = [
		[concepts, "concept"],
		[links, "link"],
		[events, "event"],
	] as const;
	const parts = counts
		.filter(([count]) => count > 0)
		.map(([count, name]) => `${count.toLocaleString("en-US")} ${name}${count === 1 ? "" : "s"}`);
	return parts.length === 0 ? "Nothing that was not known" : `New: ${parts.join(", ")}`;
}

function Near({ model, item, onShow }: DrawerProps) {
	const near = [...item.links].flatMap(([id, what]) => {
		const other = model.items.get(id);
		return other ? [{ other, what }] : [];
	});
	if (near.length === 0) return null;
	return (
		<section class="stack-2" aria-label="Connections">
			<h3>Connected to {near.length.toLocaleString("en-US")}</h3>
			<ul class="near">
				{near.slice(0, NEAR_MAX).map(({ other, what }) => (
					<li key={other.id}>
						<button type="button" onClick={() => onShow(other.id)} title={what}>
							<Shape mark={other.mark} />
							<bdi>{other.name}</bdi>
						</button>
					</li>
				))}
			</ul>
			{near.length > NEAR_MAX && (
				<p class="small muted">
					<Icon name="find" /> The list below has the others.
				</p>
			)}
		</section>
	);
}
