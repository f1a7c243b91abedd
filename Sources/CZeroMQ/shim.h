#pragma once
#include <zmq.h>
#ifdef __linux__
#include <sys/eventfd.h> // The Glibc module leaves it out.
#endif
