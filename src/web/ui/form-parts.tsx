import { fetchDemoToken } from "./calls.js";
import { say } from "./say.js";

/** What the forms that send calls have in common. */

/** Lets the button of a form fill in a token that pays with paper money. */
export function offerDemoToken(form: HTMLFormElement, token: HTMLInputElement): void {
	form.querySelector("[data-demo-token]")?.addEventListener("click", async () => {
		try {
			token.value = await fetchDemoToken();
			say("The demo token is in the field. It pays with paper money.");
		} catch (error) {
			say(error instanceof Error ? error.message : String(error));
		}
	});
}

export const Skeleton = () => (
	<div class="skeleton card" aria-hidden="true">
		<span />
		<span />
		<span />
	</div>
);

/** What did not work, why, and what it cost. */
export const Trouble = ({ title, words }: { readonly title: string; readonly words: string }) => (
	<div class="state" role="alert">
		<h2 tabIndex={-1} class="h-panel">
			{title}
		</h2>
		<p>{words}</p>
	</div>
);
