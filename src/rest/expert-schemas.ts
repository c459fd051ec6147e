import { z } from "zod";
import { replyComponent } from "../contract/contract.js";

/** What a reader may type. */

export const suggestionListSchema = replyComponent(
	"SuggestionList",
	z.object({
		items: z.array(
			z.object({
				text: z.string(),
				kind: z.enum(["topic", "concept"]),
				graphs: z.array(z.string()).describe("Some graphs that have it"),
			}),
		),
	}),
);
