/** Replies of series in the shapes their sources document, cut short; figures of those that are bundled are the bundled ones. */

interface RecordedSeries {
	readonly feedId: string;
	readonly body: string;
	readonly last: readonly [period: string, value: string];
	readonly count: number;
}

export const RECORDED_SERIES: readonly RecordedSeries[] = [
	{
		feedId: "eia:brent",
		body: "observation_date,MCOILBRENTEU\n2026-05-01,107.14\n2026-06-01,85.40\n2026-07-01,83.76\n2026-08-01,.\n",
		last: ["2026-07", "83.76"],
		count: 3,
	},
	{
		feedId: "ecb:cny",
		body: '\ufeffKEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE,OBS_STATUS,TITLE\r\nEXR.M.CNY.EUR.SP00.A,M,CNY,EUR,SP00,A,2025-01,7.5560,A,"Chinese yuan, monthly"\r\nEXR.M.CNY.EUR.SP00.A,M,CNY,EUR,SP00,A,2025-02,NaN,M,"Chinese yuan, monthly"\r\nEXR.M.CNY.EUR.SP00.A,M,CNY,EUR,SP00,A,2025-03,7.8353,A,"Chinese yuan, monthly"\r\n',
		last: ["2025-03", "7.8353"],
		count: 2,
	},
	{
		feedId: "norgesbank:usd",
		body: "FREQ;Frequency;BASE_CUR;QUOTE_CUR;TIME_PERIOD;OBS_VALUE\nB;Business;USD;NOK;2025-06-02;10.0892\nB;Business;USD;NOK;2025-06-03;10.1200\n",
		last: ["2025-06-03", "10.1200"],
		count: 2,
	},
	{
		feedId: "noaa:co2",
		body: "# Mauna Loa\n# monthly means\nyear,month,decimal date,average,deseasonalized,ndays,sdev,unc\n2026,4,2026.2917,431.12,428.61,23,1.15,0.46\n2026,5,2026.3750,432.34,429.10,17,0.68,0.31\n2026,6,2026.4583,431.44,429.06,19,0.35,0.15\n",
		last: ["2026-06", "431.44"],
		count: 3,
	},
	{
		feedId: "datahub:usd-eur",
		body: "Date,Country,Exchange rate\n2026-05-01,Euro,0.8531\n2026-06-01,Euro,0.8684\n2026-05-01,Japan,158.1\n",
		last: ["2026-06", "0.8684"],
		count: 2,
	},
	{
		feedId: "cboe:vix",
		body: "DATE,OPEN,HIGH,LOW,CLOSE\n01/02/2025,17.27,18.77,17.05,17.93\n01/03/2025,17.93,18.05,16.10,16.13\n",
		last: ["2025-01-03", "16.13"],
		count: 2,
	},
	{
		feedId: "boe:bank-rate",
		body: "DATE,IUDBEDR\n01 May 2025,4.5\n08 May 2025,4.25\n",
		last: ["2025-05-08", "4.25"],
		count: 2,
	},
	{
		feedId: "nasa:gistemp",
		body: "Land-Ocean: Global Means\nYear,Jan,Feb,J-D,D-N\n2023,.87,.98,1.17,1.14\n2024,1.24,1.44,1.28,1.30\n2025,1.38,***,***,***\n",
		last: ["2024", "1.28"],
		count: 2,
	},
	{
		feedId: "owid:life-expectancy",
		body: "entity,code,year,life_expectancy_0\nAfghanistan,AFG,2023,66.0346\nWorld,OWID_WRL,2022,72.6365\nWorld,OWID_WRL,2023,73.1693\n",
		last: ["2023", "73.1693"],
		count: 2,
	},
	{
		feedId: "worldbank:inflation-usa",
		body: '[{"page":1,"pages":1,"per_page":100,"total":3,"lastupdated":"2025-07-01"},[{"indicator":{"id":"FP.CPI.TOTL.ZG"},"country":{"id":"US"},"countryiso3code":"USA","date":"2024","value":2.94952520485207,"decimal":1},{"indicator":{"id":"FP.CPI.TOTL.ZG"},"countryiso3code":"USA","date":"2023","value":4.11633838374488},{"countryiso3code":"USA","date":"1959","value":null}]]',
		last: ["2024", "2.94952520485207"],
		count: 2,
	},
	{
		feedId: "worldbank:gdp-bra",
		body: '[{"page":1},[{"date":"2022","value":1951923942083.32},{"date":"2021","value":1670647399034.67}]]',
		last: ["2022", "1.95192394208332"],
		count: 2,
	},
	{
		feedId: "dbnomics:japan-cpi",
		body: '{"series":{"docs":[{"period":["2025-01","2025-02","2025-03"],"value":[111.2,110.80,"NA"]}],"num_found":1}}',
		last: ["2025-02", "110.80"],
		count: 2,
	},
	{
		feedId: "imf:growth-usa",
		body: '{"values":{"NGDP_RPCH":{"USA":{"2024":2.8,"2025":1.8,"2030":2.1}}},"api":{"version":"1"}}',
		last: ["2030", "2.1"],
		count: 3,
	},
	{
		feedId: "treasury:debt",
		body: '{"data":[{"record_date":"2025-06-03","tot_pub_debt_out_amt":"36214310481234.56"},{"record_date":"2025-06-02","tot_pub_debt_out_amt":"36213000000000.01"}],"meta":{"count":2}}',
		last: ["2025-06-03", "36214310481234.56"],
		count: 2,
	},
	{
		feedId: "boc:usd-cad",
		body: '{"terms":{"url":"https://www.bankofcanada.ca/terms/"},"observations":[{"d":"2025-06-02","FXUSDCAD":{"v":"1.3724"}},{"d":"2025-06-03","FXUSDCAD":{"v":"1.3710"}}]}',
		last: ["2025-06-03", "1.3710"],
		count: 2,
	},
	{
		feedId: "nbp:usd",
		body: '{"table":"A","code":"USD","rates":[{"no":"105/A","effectiveDate":"2025-06-02","mid":3.7380},{"no":"106/A","effectiveDate":"2025-06-03","mid":3.7411}]}',
		last: ["2025-06-03", "3.7411"],
		count: 2,
	},
	{
		feedId: "bcb:ipca",
		body: '[{"data":"01/04/2025","valor":"0.43"},{"data":"01/05/2025","valor":"0.26"}]',
		last: ["2025-05", "0.26"],
		count: 2,
	},
	{
		feedId: "cnb:usd",
		body: '{"rates":[{"validFor":"2025-06-03","currencyCode":"AUD","rate":14.151},{"validFor":"2025-06-03","currencyCode":"USD","rate":21.843}]}',
		last: ["2025-06-03", "21.843"],
		count: 1,
	},
	{
		feedId: "bls:cpi",
		body: '{"status":"REQUEST_SUCCEEDED","Results":{"series":[{"seriesID":"CUUR0000SA0","data":[{"year":"2025","period":"M05","value":"321.465"},{"year":"2025","period":"M04","value":"320.795"}]}]}}',
		last: ["2025-05", "321.465"],
		count: 2,
	},
	{
		feedId: "ons:gdp",
		body: '{"years":[],"quarters":[{"date":"2024 Q4","value":"640881","year":"2024"},{"date":"2025 Q1","value":"645573","year":"2025"}],"months":[]}',
		last: ["2025-Q1", "645573"],
		count: 2,
	},
	{
		feedId: "frankfurter:eur-usd",
		body: '{"amount":1.0,"base":"EUR","start_date":"2025-06-02","end_date":"2025-06-03","rates":{"2025-06-02":{"USD":1.1419},"2025-06-03":{"USD":1.1386}}}',
		last: ["2025-06-03", "1.1386"],
		count: 2,
	},
	{
		feedId: "riksbank:policy-rate",
		body: '[{"date":"2025-05-14","value":2.25},{"date":"2025-06-25","value":2.00}]',
		last: ["2025-06-25", "2.00"],
		count: 2,
	},
	{
		feedId: "eurostat:hicp",
		body: JSON.stringify({
			version: "2.0",
			class: "dataset",
			id: ["freq", "unit", "coicop", "geo", "time"],
			size: [1, 1, 1, 1, 3],
			value: { "0": 2.2, "1": 1.9 },
			status: { "2": ":" },
			dimension: {
				geo: { category: { index: { EA: 0 } } },
				time: { category: { index: { "2025-04": 0, "2025-05": 1, "2025-06": 2 } } },
			},
		}),
		last: ["2025-05", "1.9"],
		count: 2,
	},
];
