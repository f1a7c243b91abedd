/* A line between two hosts, which are network namespaces: makes an Ethernet device in each (TAP, so that the kernel itself cuts the
 * segments and computes the checksums) and carries every frame from the one to the other. Each way has a delay in milliseconds, a loss
 * in percent of the frames, and a rate in bytes per second (0: no limit), before which a queue of 256 KiB waits. What is lost is lost:
 * TCP has to repeat it.
 *
 *   link SEED CONTROL NAMESPACE DEVICE NAMESPACE DEVICE
 *
 * A namespace is a file, such as /proc/PROCESS/ns/net. CONTROL is a FIFO, from which each line "WAY DELAY LOSS RATE" is read, carried out
 * and repeated on standard output; a way is "there" (from the first to the second), "back" or "both". A loss of 100 cuts the line. At
 * first nothing is delayed or lost. The losses follow from the seed. SIGTERM ends the program, which then prints what it has carried.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { largest_frame = 65536, most_before_rate = 256 << 10, most_waiting = 64 << 20 };

/* A frame on its way, to arrive at a time in microseconds. */
struct frame {
  struct frame *next;
  int64_t due;
  size_t count;
  char bytes[];
};

/* A direction of the line. */
struct way {
  const char *name;
  int from, to;
  double delay, loss, rate;
  uint64_t random;
  /* When the line is free again, and when the last frame arrives. */
  int64_t idle_at, latest;
  struct frame *first, *last;
  size_t waiting;
  unsigned long carried, lost, too_many;
};

static struct way ways[2] = {{.name = "there"}, {.name = "back"}};
static volatile sig_atomic_t has_to_end;

static void end(int number) {
  (void)number;
  has_to_end = 1;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000ll + time.tv_nsec / 1000;
}

static void fail(const char *what) {
  perror(what);
  exit(71);
}

/* Makes a device in a namespace. */
static int device(const char *namespace, const char *name) {
  int space = open(namespace, O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) < 0) fail(namespace);
  close(space);
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail("/dev/net/tun");
  struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
  if (strlen(name) >= sizeof request.ifr_name) {
    fprintf(stderr, "The name of the device %s is too long.\n", name);
    exit(64);
  }
  strcpy(request.ifr_name, name);
  if (ioctl(device, TUNSETIFF, &request) < 0) fail(name);
  return device;
}

/* A number from 0 to below 100 (splitmix64). */
static double percent(struct way *way) {
  uint64_t number = way->random += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return (double)((number ^ (number >> 31)) >> 11) * 100 / (1ull << 53);
}

/* Takes the frames that the sender has. */
static void take(struct way *way) {
  static char bytes[largest_frame];
  ssize_t count;
  while ((count = read(way->from, bytes, sizeof bytes)) > 0) {
    /* One number for each frame, so that the losses do not depend on what else happens. */
    int is_lost = percent(way) < way->loss;
    int64_t moment = now(), start = moment;
    if (is_lost) {
      way->lost++;
      continue;
    }
    if (way->rate > 0) {
      if (way->idle_at > start) start = way->idle_at;
      if ((double)(start - moment) * way->rate / 1e6 > most_before_rate) {
        way->too_many++;
        continue;
      }
      way->idle_at = start += (int64_t)((double)count * 1e6 / way->rate);
    }
    struct frame *frame;
    if (way->waiting > most_waiting || !(frame = malloc(sizeof *frame + (size_t)count))) {
      way->too_many++;
      continue;
    }
    /* A shorter delay lets no frame overtake another. */
    frame->due = start + (int64_t)(way->delay * 1000);
    if (frame->due < way->latest) frame->due = way->latest;
    way->latest = frame->due;
    frame->count = (size_t)count;
    memcpy(frame->bytes, bytes, (size_t)count);
    frame->next = NULL;
    if (way->last) way->last->next = frame; else way->first = frame;
    way->last = frame;
    way->waiting += frame->count;
  }
  /* The device is gone, with its namespace. */
  if (count < 0 && errno == EBADFD) has_to_end = 1;
}

/* Delivers what has arrived. A device that is down, or gone, takes nothing. */
static void deliver(struct way *way) {
  for (struct frame *frame; (frame = way->first) && frame->due <= now();) {
    if (write(way->to, frame->bytes, frame->count) < 0) way->lost++; else way->carried++;
    way->waiting -= frame->count;
    way->first = frame->next;
    if (!way->first) way->last = NULL;
    free(frame);
  }
}

static void obey(const char *line) {
  char name[8];
  double delay, loss, rate;
  int taken = 0;
  if (sscanf(line, "%7s %lf %lf %lf", name, &delay, &loss, &rate) == 4 && delay >= 0 && loss >= 0 && rate >= 0) {
    for (struct way *way = ways; way < ways + 2; way++) {
      if (strcmp(name, way->name) && strcmp(name, "both")) continue;
      way->delay = delay;
      way->loss = loss;
      way->rate = rate;
      taken = 1;
    }
  }
  if (taken) printf("%s\n", line); else fprintf(stderr, "This line is not understood: %s\n", line);
  fflush(stdout);
}

/* Reads the lines that are there. */
static void listen_to(int control) {
  static char text[256];
  static size_t length;
  ssize_t count;
  while ((count = read(control, text + length, sizeof text - 1 - length)) > 0) {
    length += (size_t)count;
    for (char *end; (end = memchr(text, '\n', length));) {
      *end = 0;
      obey(text);
      length -= (size_t)(end + 1 - text);
      memmove(text, end + 1, length);
    }
    if (length == sizeof text - 1) length = 0;
  }
}

int main(int count, char **arguments) {
  if (count != 7) {
    fprintf(stderr, "usage: link SEED CONTROL NAMESPACE DEVICE NAMESPACE DEVICE\n");
    return 64;
  }
  /* Open for writing too, so that the FIFO has no end. */
  int control = open(arguments[2], O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (control < 0) fail(arguments[2]);
  int first = device(arguments[3], arguments[4]), second = device(arguments[5], arguments[6]);
  ways[0].from = ways[1].to = first;
  ways[1].from = ways[0].to = second;
  for (int each = 0; each < 2; each++) ways[each].random = 2 * strtoull(arguments[1], NULL, 10) + (uint64_t)each;

  /* The signal comes while the program waits, and at no other time. */
  sigset_t blocked, waiting;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &waiting);
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  printf("ready\n");
  fflush(stdout);

  while (!has_to_end) {
    struct pollfd items[3] = {
      {.fd = control, .events = POLLIN}, {.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN},
    };
    int64_t moment = now(), next = INT64_MAX;
    for (int each = 0; each < 2; each++)
      if (ways[each].first && ways[each].first->due < next) next = ways[each].first->due;
    int64_t rest = next > moment ? next - moment : 0;
    struct timespec pause = {rest / 1000000, rest % 1000000 * 1000};
    if (ppoll(items, 3, next == INT64_MAX ? NULL : &pause, &waiting) < 0) {
      if (errno == EINTR) continue;
      fail("poll");
    }
    if (items[0].revents) listen_to(control);
    for (int each = 0; each < 2; each++)
      if (items[1 + each].revents) take(&ways[each]);
    for (int each = 0; each < 2; each++) deliver(&ways[each]);
  }
  for (int each = 0; each < 2; each++)
    printf("%s carried=%lu lost=%lu too-many=%lu\n", ways[each].name, ways[each].carried, ways[each].lost, ways[each].too_many);
  return 0;
}
