/* Copies a file over a plain TCP connection, as a measure of what a line and two disks can do.
 *
 *   copy receive PORT FILE           prints "ready", takes one connection, and writes what comes to a file
 *   copy send ADDRESS PORT FILE      sends a file, and prints the seconds until the receiver has written all of it
 *
 * Both read and write a mebibyte at a time. Nothing is compressed, encrypted or checked.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most = 1 << 20 };

static char buffer[most];

static int need(int result, const char *what) {
  if (result < 0) {
    perror(what);
    exit(1);
  }
  return result;
}

/* Passes everything from one descriptor to another. */
static void pass(int from, int to) {
  ssize_t count;
  while ((count = read(from, buffer, most)) > 0) {
    for (ssize_t done = 0; done < count;) {
      ssize_t written = write(to, buffer + done, (size_t)(count - done));
      if (written <= 0) {
        perror("write");
        exit(1);
      }
      done += written;
    }
  }
  need((int)count, "read");
}

static struct sockaddr_in place(const char *address, const char *port) {
  struct sockaddr_in result = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
  if (inet_pton(AF_INET, address, &result.sin_addr) != 1) {
    fprintf(stderr, "%s is no address.\n", address);
    exit(64);
  }
  return result;
}

static void receive(const char *port, const char *path) {
  struct sockaddr_in own = place("0.0.0.0", port);
  int listener = need(socket(AF_INET, SOCK_STREAM, 0), "socket"), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  need(bind(listener, (struct sockaddr *)&own, sizeof own), "bind");
  need(listen(listener, 1), "listen");
  puts("ready");
  fflush(stdout);
  int connection = need(accept(listener, NULL, NULL), "accept");
  int file = need(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644), path);
  pass(connection, file);
  need(close(file), path);
  need((int)write(connection, "", 1), "answer");
}

static void send_file(const char *address, const char *port, const char *path) {
  struct sockaddr_in other = place(address, port);
  struct timespec begin, end;
  int file = need(open(path, O_RDONLY), path);
  int connection = need(socket(AF_INET, SOCK_STREAM, 0), "socket");
  clock_gettime(CLOCK_MONOTONIC, &begin);
  need(connect(connection, (struct sockaddr *)&other, sizeof other), "connect");
  pass(file, connection);
  need(shutdown(connection, SHUT_WR), "shutdown");
  if (read(connection, buffer, 1) != 1) {
    fprintf(stderr, "The receiver has gone.\n");
    exit(1);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.6f\n", (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "receive") == 0) {
    receive(arguments[2], arguments[3]);
  } else if (count == 5 && strcmp(arguments[1], "send") == 0) {
    send_file(arguments[2], arguments[3], arguments[4]);
  } else {
    fprintf(stderr, "usage: copy receive PORT FILE | copy send ADDRESS PORT FILE\n");
    return 64;
  }
  return 0;
}
