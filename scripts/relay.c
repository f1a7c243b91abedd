/* A relay of TCP connections on this host that is as slow as a long line: every byte arrives DELAY microseconds later, all
 * connections share RATE bytes per second in each direction (0: no limit), and LOSS percent of the packets arrive after a
 * repetition, with all that follows them. Prints the port that it listens at.
 *
 *   relay TARGET_PORT DELAY RATE LOSS
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_connections = 64, packet = 1460, piece = 16 << 10, repetition = 200000 };

/* Bytes on their way, to arrive at a time in microseconds. */
struct chunk {
  struct chunk *next;
  int64_t due;
  size_t count, sent;
  char bytes[piece];
};

/* A direction of a connection. */
struct way {
  int from, to, has_ended;
  struct chunk *first, *last;
  size_t waiting;
  int64_t latest;
};

static struct way ways[2 * most_connections];
static int64_t delay, rate, loss;
/* When the line is free again, for each direction. */
static int64_t idle_at[2];

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000ll + time.tv_nsec / 1000;
}

static void fail(const char *what) {
  perror(what);
  exit(71);
}

static struct sockaddr_in address(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/* The bytes that may be on their way in a direction: what the line holds, and a quarter of a mebibyte before it. */
static size_t room(void) { return rate == 0 ? 64 << 20 : (size_t)(rate * delay / 1000000) + (256 << 10); }

static void end(int connection) {
  close(ways[2 * connection].from);
  close(ways[2 * connection].to);
  for (int direction = 0; direction < 2; direction++) {
    struct way *way = &ways[2 * connection + direction];
    for (struct chunk *chunk = way->first, *next; chunk; chunk = next) {
      next = chunk->next;
      free(chunk);
    }
    memset(way, 0, sizeof *way);
    way->from = way->to = -1;
  }
}

static void join(int listener, int port) {
  int worker = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (worker < 0) return;
  int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1, position = 0;
  struct sockaddr_in target = address(port);
  while (position < most_connections && ways[2 * position].from >= 0) position++;
  if (position == most_connections || connect(server, (struct sockaddr *)&target, sizeof target) < 0) {
    close(worker);
    close(server);
    return;
  }
  fcntl(server, F_SETFL, O_NONBLOCK);
  setsockopt(worker, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  ways[2 * position] = (struct way){.from = worker, .to = server};
  ways[2 * position + 1] = (struct way){.from = server, .to = worker};
}

/* Takes bytes onto the line; 0 at the end of the sender. */
static int take(struct way *way, int direction) {
  while (way->waiting < room()) {
    struct chunk *chunk = malloc(sizeof *chunk);
    if (!chunk) fail("malloc");
    ssize_t count = read(way->from, chunk->bytes, piece);
    if (count <= 0) {
      free(chunk);
      return count < 0 && (errno == EAGAIN || errno == EINTR);
    }
    int64_t moment = now();
    if (rate > 0) {
      if (idle_at[direction] < moment) idle_at[direction] = moment;
      moment = idle_at[direction] += count * 1000000 / rate;
    }
    chunk->due = moment + delay;
    for (ssize_t done = 0; done < count; done += packet) {
      if (random() % 10000 < loss * 100) {
        chunk->due += repetition;
        break;
      }
    }
    if (chunk->due < way->latest) chunk->due = way->latest;
    way->latest = chunk->due;
    chunk->next = NULL;
    chunk->count = count;
    chunk->sent = 0;
    if (way->last) way->last->next = chunk; else way->first = chunk;
    way->last = chunk;
    way->waiting += count;
  }
  return 1;
}

/* Delivers what has arrived; 0 if the receiver is gone. */
static int deliver(struct way *way) {
  while (way->first && way->first->due <= now()) {
    struct chunk *chunk = way->first;
    ssize_t count = send(way->to, chunk->bytes + chunk->sent, chunk->count - chunk->sent, MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    chunk->sent += count;
    way->waiting -= count;
    if (chunk->sent < chunk->count) return 1;
    way->first = chunk->next;
    if (!way->first) way->last = NULL;
    free(chunk);
  }
  return 1;
}

int main(int count, char **arguments) {
  if (count != 5) {
    fprintf(stderr, "usage: relay TARGET_PORT DELAY RATE LOSS\n");
    return 64;
  }
  int port = atoi(arguments[1]);
  delay = atoll(arguments[2]);
  rate = atoll(arguments[3]);
  loss = atoll(arguments[4]);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_in own = address(0);
  socklen_t length = sizeof own;
  if (bind(listener, (struct sockaddr *)&own, sizeof own) < 0 || listen(listener, 64) < 0) fail("listen");
  if (getsockname(listener, (struct sockaddr *)&own, &length) < 0) fail("getsockname");
  printf("%d\n", ntohs(own.sin_port));
  fflush(stdout);
  for (int each = 0; each < 2 * most_connections; each++) ways[each].from = ways[each].to = -1;
  for (;;) {
    struct pollfd items[1 + 2 * most_connections] = {{.fd = listener, .events = POLLIN}};
    int64_t next = INT64_MAX, moment = now();
    for (int each = 0; each < 2 * most_connections; each++) {
      struct way *way = &ways[each], *back = &ways[each ^ 1];
      items[1 + each] = (struct pollfd){.fd = way->from};
      if (way->from < 0) continue;
      if (!way->has_ended && way->waiting < room()) items[1 + each].events |= POLLIN;
      /* The receiver of the way back is this socket. */
      if (back->first && back->first->due <= moment) items[1 + each].events |= POLLOUT;
      if (way->first && way->first->due > moment && way->first->due < next) next = way->first->due;
      if (!items[1 + each].events) items[1 + each].fd = -1;
    }
    struct timespec pause = {(next - moment) / 1000000, (next - moment) % 1000000 * 1000};
    if (ppoll(items, 1 + 2 * most_connections, next == INT64_MAX ? NULL : &pause, NULL) < 0 && errno != EINTR) fail("poll");
    for (int connection = 0; connection < most_connections; connection++) {
      if (ways[2 * connection].from < 0) continue;
      int lives = 1;
      for (int direction = 0; direction < 2; direction++) {
        struct way *way = &ways[2 * connection + direction];
        if (!way->has_ended && items[1 + 2 * connection + direction].revents & (POLLIN | POLLHUP | POLLERR))
          way->has_ended = !take(way, direction);
        lives = lives && deliver(way);
      }
      /* What was sent before the end of one side still arrives at the other. */
      for (int direction = 0; direction < 2; direction++)
        if (ways[2 * connection + direction].has_ended && !ways[2 * connection + direction].first) lives = 0;
      if (!lives) end(connection);
    }
    if (items[0].revents & POLLIN) join(listener, port);
  }
}
