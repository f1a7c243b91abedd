/* Makes a random genome, a sample that differs from it in one of a thousand bases, and reads of the sample with some errors.
 *
 *   reads SEED BYTES REFERENCE READS
 *
 * REFERENCE gets the genome (FASTA), and READS about so many bytes of reads of 100 bases (FASTQ), which cover each base of the genome some
 * 36 times. The same seed and number of bytes give the same files.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { read_length = 100, line_length = 60, bytes_per_base = 80, shortest_genome = 20000 };

static uint64_t state;

/* The next number of a sequence that the seed decides (SplitMix64). */
static uint64_t next(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static char base(void) { return "ACGT"[next() & 3]; }

static FILE *create(const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) {
    perror(path);
    exit(1);
  }
  setvbuf(file, NULL, _IOFBF, 1 << 20);
  return file;
}

static void end(FILE *file, const char *path) {
  if (ferror(file) || fclose(file)) {
    perror(path);
    exit(1);
  }
}

int main(int count, char **arguments) {
  if (count != 5) {
    fprintf(stderr, "usage: reads SEED BYTES REFERENCE READS\n");
    return 64;
  }
  state = strtoull(arguments[1], NULL, 10);
  uint64_t wanted = strtoull(arguments[2], NULL, 10);
  uint64_t length = wanted / bytes_per_base > shortest_genome ? wanted / bytes_per_base : shortest_genome;
  char *genome = malloc(length);
  if (!genome) {
    perror("memory for the genome");
    return 1;
  }
  FILE *reference = create(arguments[3]);
  fprintf(reference, ">chr1\n");
  for (uint64_t place = 0; place < length; place++) {
    genome[place] = base();
    putc(genome[place], reference);
    if ((place + 1) % line_length == 0 || place + 1 == length) putc('\n', reference);
  }
  end(reference, arguments[3]);

  for (uint64_t changes = length / 1000; changes > 0; changes--) genome[next() % length] = base();
  FILE *reads = create(arguments[4]);
  uint64_t written = 0;
  for (uint64_t number = 1; written < wanted; number++) {
    char bases[read_length + 1] = {0}, qualities[read_length + 1] = {0};
    uint64_t start = next() % (length - read_length + 1);
    int is_reverse = next() & 1;
    for (int place = 0; place < read_length; place++) {
      char letter = genome[start + (is_reverse ? read_length - 1 - place : place)];
      if (is_reverse) letter = letter == 'A' ? 'T' : letter == 'C' ? 'G' : letter == 'G' ? 'C' : 'A';
      uint64_t luck = next();
      int is_error = luck % 500 == 0;
      bases[place] = is_error ? base() : letter;
      qualities[place] = (char)(is_error ? '(' : 'A' + luck / 500 % 8);
    }
    written += (uint64_t)fprintf(reads, "@read%llu\n%s\n+\n%s\n", (unsigned long long)number, bases, qualities);
  }
  end(reads, arguments[4]);
  free(genome);
  return 0;
}
