import Foundation

/// How much the tests try.
package enum Thoroughness {
    /// True in a run of `scripts/test-thorough`, which sets `BATON_THOROUGH`: what costs much and finds little is tested, too.
    package static let isFull = ProcessInfo.processInfo.environment["BATON_THOROUGH"] != nil
}
