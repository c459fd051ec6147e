export { articleIndexOf, graphsNamed } from "./article-index.js";
export { articleRefField, dataOf, EVIDENCE_BILLING, itemsOf, pagesOf } from "./article-wire.js";
