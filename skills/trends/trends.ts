export { createTrend, createTrendEvidence, createTrendList } from "./trend-skills.js";
