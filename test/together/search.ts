import '../clusters.test.ts';
import '../geodata-lookup.test.ts';
import '../geodata-search.test.ts';
import '../search.test.ts';
import '../search-model.test.ts';
import '../suggest.test.ts';
