export { type BrandReports, createBrandReports } from "./brand-document.js";
