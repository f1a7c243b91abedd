#include "CAssets.h"

// The directive is older in clang than the standard that brings it.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../Web/Assets/index.html"
};
static const unsigned char page_css[] = {
#embed "../Web/Assets/page.css"
};
static const unsigned char icon_svg[] = {
#embed "../Web/Assets/icon.svg"
};
static const unsigned char main_js[] = {
#embed "../Web/Assets/main.js"
};
static const unsigned char dom_js[] = {
#embed "../Web/Assets/dom.js"
};
static const unsigned char format_js[] = {
#embed "../Web/Assets/format.js"
};
static const unsigned char server_js[] = {
#embed "../Web/Assets/server.js"
};
static const unsigned char widgets_js[] = {
#embed "../Web/Assets/widgets.js"
};
static const unsigned char overview_js[] = {
#embed "../Web/Assets/overview.js"
};
static const unsigned char jobs_js[] = {
#embed "../Web/Assets/jobs.js"
};
static const unsigned char job_js[] = {
#embed "../Web/Assets/job.js"
};
static const unsigned char operations_js[] = {
#embed "../Web/Assets/operations.js"
};
static const unsigned char timeline_js[] = {
#embed "../Web/Assets/timeline.js"
};
static const unsigned char graph_js[] = {
#embed "../Web/Assets/graph.js"
};
static const unsigned char operation_js[] = {
#embed "../Web/Assets/operation.js"
};
static const unsigned char log_js[] = {
#embed "../Web/Assets/log.js"
};
static const unsigned char workers_js[] = {
#embed "../Web/Assets/workers.js"
};
static const unsigned char queues_js[] = {
#embed "../Web/Assets/queues.js"
};
static const unsigned char search_js[] = {
#embed "../Web/Assets/search.js"
};

#define ASSET(name, bytes) {name, bytes, sizeof(bytes)}

static const struct baton_asset assets[] = {
    ASSET("index.html", index_html),
    ASSET("page.css", page_css),
    ASSET("icon.svg", icon_svg),
    ASSET("main.js", main_js),
    ASSET("dom.js", dom_js),
    ASSET("format.js", format_js),
    ASSET("server.js", server_js),
    ASSET("widgets.js", widgets_js),
    ASSET("overview.js", overview_js),
    ASSET("jobs.js", jobs_js),
    ASSET("job.js", job_js),
    ASSET("operations.js", operations_js),
    ASSET("timeline.js", timeline_js),
    ASSET("graph.js", graph_js),
    ASSET("operation.js", operation_js),
    ASSET("log.js", log_js),
    ASSET("workers.js", workers_js),
    ASSET("queues.js", queues_js),
    ASSET("search.js", search_js),
};

const size_t baton_asset_count = sizeof(assets) / sizeof(assets[0]);

const struct baton_asset *baton_asset_at(size_t place) {
    return &assets[place];
}
