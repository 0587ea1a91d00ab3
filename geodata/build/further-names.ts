/** Names by which places are looked for and that no source at hand has. */

/** Usual short, former and alternative names of countries, by ISO 3166-1 alpha-2. */
const countries: Readonly<Record<string, string>> = {
  AE: 'UAE, Emirates',
  BA: 'Bosnia',
  BO: 'Bolivia',
  CD: 'DRC, DR Congo, Democratic Republic of the Congo, Zaire',
  CG: 'Republic of the Congo, Congo Brazzaville',
  CI: 'Ivory Coast',
  CN: 'PRC',
  CV: 'Cape Verde, Cabo Verde',
  CZ: 'Czech Republic',
  FK: 'Falklands, Malvinas',
  FO: 'Faroes, Faeroes',
  GB: 'UK, Great Britain, Britain',
  HK: 'Hong Kong',
  KP: 'DPRK, North Korea',
  KR: 'ROK, South Korea',
  LA: 'Laos',
  MK: 'Macedonia',
  MM: 'Burma, Myanmar',
  MO: 'Macau, Macao',
  NL: 'Holland',
  NZ: 'NZ, Aotearoa',
  PG: 'PNG',
  PS: 'Palestine',
  RU: 'Russian Federation',
  SA: 'KSA',
  SY: 'Syria',
  SZ: 'Swaziland',
  TL: 'East Timor, Timor Leste',
  TR: 'Turkey',
  TW: 'ROC, Formosa',
  US: 'USA, US, United States of America, America',
  VA: 'Vatican, Holy See',
};

/** Regions in their own languages, by country: the name in GeoNames, then the others. */
const regions: Readonly<Record<string, string>> = {
  AT: 'Carinthia=Kärnten, Lower Austria=Niederösterreich, Upper Austria=Oberösterreich, Styria=Steiermark, Tyrol=Tirol, Vienna=Wien',
  BE: 'Brussels Capital=Bruxelles-Capitale/Brussel, Flanders=Vlaanderen/Flandre, Wallonia=Wallonie',
  BR: 'Federal District=Distrito Federal',
  CH: 'Geneva=Genève/Genf, Grisons=Graubünden/Grigioni, Lucerne=Luzern, Saint Gallen=St. Gallen, Ticino=Tessin, Valais=Wallis, Vaud=Waadt, Basel-City=Basel-Stadt, Fribourg=Freiburg',
  CZ: 'Prague=Praha, South Moravian=Jihomoravský kraj, Central Bohemia=Středočeský kraj',
  DE: 'Bavaria=Bayern, Baden-Wurttemberg=Baden-Württemberg, Hesse=Hessen, Lower Saxony=Niedersachsen, North Rhine-Westphalia=Nordrhein-Westfalen/NRW, Rheinland-Pfalz=Rhineland-Palatinate, Saxony=Sachsen, Saxony-Anhalt=Sachsen-Anhalt, Thuringia=Thüringen',
  DK: 'Capital Region=Hovedstaden, Central Jutland=Midtjylland, North Denmark=Nordjylland, South Denmark=Syddanmark, Zealand=Sjælland',
  ES: 'Balearic Islands=Islas Baleares/Illes Balears/Baleares, Navarre=Navarra, Andalusia=Andalucía, Aragon=Aragón, Canary Islands=Canarias/Islas Canarias/Canaries, Castille-La Mancha=Castilla-La Mancha, Castille and León=Castilla y León, Catalonia=Cataluña/Catalunya, Basque Country=País Vasco/Euskadi, Valencia=Comunitat Valenciana/Comunidad Valenciana',
  FI: 'Lapland=Lappi, Pirkanmaa=Birkaland, Southwest Finland=Varsinais-Suomi, Ostrobothnia=Pohjanmaa',
  FR: "Brittany=Bretagne, Normandy=Normandie, Corsica=Corse, New Aquitaine=Nouvelle-Aquitaine, Provence-Alpes-Côte d'Azur=PACA/Provence, Burgundy=Bourgogne",
  GB: 'Wales=Cymru, Scotland=Alba',
  GR: 'Crete=Kriti/Κρήτη, Attica=Attiki, Peloponnese=Peloponnisos, Ionian Islands=Ionia Nisia',
  IT: "Basilicate=Basilicata, Lombardy=Lombardia, The Marches=Marche, Piedmont=Piemonte, Apulia=Puglia, Sardinia=Sardegna, Sicily=Sicilia, Tuscany=Toscana, Trentino-Alto Adige=Südtirol/South Tyrol, Aosta Valley=Valle d'Aosta",
  NL: 'Friesland=Fryslân, North Brabant=Noord-Brabant, North Holland=Noord-Holland, South Holland=Zuid-Holland',
  PL: 'Lower Silesia=Dolnośląskie, Lesser Poland=Małopolskie/Małopolska, Mazovia=Mazowieckie/Mazowsze, Subcarpathia=Podkarpackie, Podlasie=Podlaskie, Pomerania=Pomorskie, Silesia=Śląskie, Greater Poland=Wielkopolskie/Wielkopolska, West Pomerania=Zachodniopomorskie',
  PT: 'Azores=Açores, Lisbon=Lisboa',
  SE: 'Skåne=Scania',
  US: 'District of Columbia=DC/Washington DC',
};

const towns: Readonly<Record<string, string>> = {
  BR: 'Rio de Janeiro=Rio',
  HK: 'Hong Kong=HK',
  MX: 'Mexico City=CDMX/Ciudad de México/DF',
  MY: 'Kuala Lumpur=KL',
  SD: 'Khartoum=الخرطوم',
  US: 'New York City=NYC, Los Angeles=LA, San Francisco=SF, Washington=Washington DC',
  VN: 'Ho Chi Minh City=Saigon/HCMC',
};

/** Names of a country, besides those of CLDR. */
export function furtherNamesOfCountry(country: string): readonly string[] {
  return countries[country]?.split(', ') ?? [];
}

/** Names of a region, by the one that GeoNames has. */
export function furtherNamesOfRegion(country: string, name: string): readonly string[] {
  return namesIn(regions[country], name);
}

/** Names of a town, by the one that GeoNames has. */
export function furtherNamesOfTown(country: string, name: string): readonly string[] {
  return namesIn(towns[country], name);
}

function namesIn(table: string | undefined, name: string): readonly string[] {
  const entry = table?.split(', ').find((one) => one.startsWith(`${name}=`));
  return entry === undefined ? [] : entry.slice(name.length + 1).split('/');
}
