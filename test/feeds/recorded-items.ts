/** Replies of news and searches in the shapes their sources document, cut short. */

interface RecordedItems {
	readonly feedId: string;
	readonly body: string;
	/** Title of the first one. */
	readonly last: string;
	readonly count: number;
}

export const RECORDED_ITEMS: readonly RecordedItems[] = [
	{
		feedId: "fed:press",
		body: '<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>FRB: Press Release</title><link>https://www.federalreserve.gov</link><item><title><![CDATA[Federal Reserve issues <b>FOMC</b> statement]]></title><link>https://www.federalreserve.gov/newsevents/pressreleases/monetary20250618a.htm</link><pubDate>Wed, 18 Jun 2025 18:00:00 GMT</pubDate><description>&lt;p&gt;Monetary policy&lt;/p&gt;</description></item><item><title>Minutes</title><link>javascript:alert(1)</link></item></channel></rss>',
		last: "Federal Reserve issues FOMC statement",
		count: 1,
	},
	{
		feedId: "sec:8k",
		body: '<?xml version="1.0" encoding="ISO-8859-1" ?><feed xmlns="http://www.w3.org/2005/Atom"><title>Latest Filings</title><entry><title>8-K - ACME CORP (0000000001) (Filer)</title><link rel="alternate" type="text/html" href="https://www.sec.gov/Archives/edgar/data/1/0000000001-25-000001-index.htm"/><summary type="html">&lt;b&gt;Filed:&lt;/b&gt; 2025-06-18</summary><updated>2025-06-18T17:30:00-04:00</updated><id>urn:tag:sec.gov,2008:1</id></entry></feed>',
		last: "8-K - ACME CORP (0000000001) (Filer)",
		count: 1,
	},
	{
		feedId: "bis:speeches",
		body: '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>Central bankers\' speeches</title></channel><item rdf:about="y"><title>On prices</title><link>https://www.bis.org/review/r250618a.htm</link><dc:date>2025-06-18T09:00:00Z</dc:date></item></rdf:RDF>',
		last: "On prices",
		count: 1,
	},
	{
		feedId: "hn:search",
		body: JSON.stringify({
			hits: [
				{
					title: "Show HN: prices",
					url: null,
					objectID: "40000001",
					created_at: "2025-06-03T10:00:00Z",
				},
				{
					title: "Older",
					url: "https://example.org/a",
					objectID: "1",
					created_at: "2025-06-01T10:00:00Z",
				},
			],
		}),
		last: "Show HN: prices",
		count: 2,
	},
	{
		feedId: "gdelt:doc",
		body: JSON.stringify({
			articles: [
				{ url: "https://example.org/news", title: "Oil falls", seendate: "20250603T101500Z" },
			],
		}),
		last: "Oil falls",
		count: 1,
	},
	{
		feedId: "nvd:cves",
		body: JSON.stringify({
			vulnerabilities: [
				{
					cve: {
						id: "CVE-2021-44228",
						published: "2021-12-10T10:15:09.143",
						descriptions: [{ lang: "en", value: "Log4j2 JNDI features" }],
					},
				},
			],
		}),
		last: "CVE-2021-44228",
		count: 1,
	},
	{
		feedId: "crossref:works",
		body: JSON.stringify({
			message: {
				items: [
					{
						title: ["On oil"],
						URL: "https://doi.org/10.1000/1",
						created: { "date-time": "2025-06-01T00:00:00Z" },
					},
				],
			},
		}),
		last: "On oil",
		count: 1,
	},
	{
		feedId: "usgs:quakes",
		body: JSON.stringify({
			features: [
				{
					properties: {
						title: "M 6.1 - Aegean",
						url: "https://earthquake.usgs.gov/earthquakes/eventpage/x",
						time: 1748900000000,
					},
				},
			],
		}),
		last: "M 6.1 - Aegean",
		count: 1,
	},
];
