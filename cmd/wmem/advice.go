package main

import (
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// advice returns a sentence on what an agent with the given report misses most and
// what to do about it, or "" for methods that do not explain their misses. others
// are reports on the same traces, from which it picks a better budget.
func advice(own *evaluation.Report, others []evaluation.Report, hasTools bool) string {
	switch {
	case own.Family != evaluation.FamilyWorking:
		return ""
	case own.References == 0 && own.ShellReferences+own.Tables > 0:
		if own.MissKinds[evaluation.MissShell] == 0 {
			return "Nothing was missed."
		}
		return fmt.Sprintf("Missed %s: %d of %d references. List them with --misses.", evaluation.MissShell, own.MissKinds[evaluation.MissShell], own.ShellReferences+own.Tables)
	case own.References == 0:
		return "No call took an identifier from an earlier result: these traces cannot measure memory."
	}
	kind := mostMissed(own, missesOfIDs[:])
	if label := mostMissed(own, missesOfLabels[:]); own.MissKinds[kind]*100 < own.References && own.MissKinds[label] > own.MissKinds[kind] {
		kind = label // hardly any identifier was missed
	}
	if kind == "" {
		return "Nothing was missed."
	}
	remedy := remedies[kind]
	if kind == evaluation.MissNoRoom || own.Budget == 0 && kind == evaluation.MissEvicted {
		remedy = largerBudget(own, others)
		if own.Budget > 0 && !hasTools {
			remedy += ", or pass the schemas of the agent's tools with --tools"
		}
	}
	return fmt.Sprintf("Missed most: %s (%d of %d references). %s.", kind, own.MissKinds[kind], own.References, remedy)
}

var (
	// missesOfIDs are the misses that count against the share of references typed.
	missesOfIDs = [...]evaluation.MissKind{
		evaluation.MissNeverExtracted, evaluation.MissEvicted, evaluation.MissRemoved, evaluation.MissNoRoom, evaluation.MissType,
	}
	// missesOfLabels are those of references that are shown under the right header.
	missesOfLabels = [...]evaluation.MissKind{evaluation.MissSilent, evaluation.MissTwin}
)

// mostMissed returns the most frequent of some kinds of misses, or "" if there were none.
func mostMissed(r *evaluation.Report, kinds []evaluation.MissKind) (most evaluation.MissKind) {
	for _, kind := range kinds {
		if r.MissKinds[kind] > r.MissKinds[most] {
			most = kind
		}
	}
	return most
}

// remedies are actions against misses that no budget prevents.
var remedies = map[evaluation.MissKind]string{
	evaluation.MissNeverExtracted: "List them with --misses and write a rule for the results that hold them; wmem extract --recipes tries it",
	evaluation.MissEvicted:        "Give the recorder a context that holds more entities",
	evaluation.MissRemoved:        "If these calls delete nothing, their tools' names mislead; --why ID shows the call",
	evaluation.MissType:           "List them with --misses and write an extraction rule that gives the type",
	evaluation.MissSilent:         "List them with --misses and write an extraction rule that names the field to show",
	evaluation.MissTwin:           "List them with --misses and write an extraction rule that names the field that differs",
}

// enoughShown is the share of the references typed at which a larger budget is
// no longer worth its tokens.
const enoughShown = 0.95

// largerBudget recommends the smallest measured budget at which enough is shown,
// else the one at which most is.
func largerBudget(own *evaluation.Report, others []evaluation.Report) string {
	var best *evaluation.Report
	for i := range others {
		r := &others[i]
		if r.Family != evaluation.FamilyWorking || r.Handles != own.Handles || r.Budget <= own.Budget || r.Typed <= own.Typed {
			continue
		}
		enough := best != nil && best.Typed >= enoughShown
		if best == nil || enough && r.Typed >= enoughShown && r.Budget < best.Budget || !enough && r.Typed > best.Typed {
			best = r
		}
	}
	switch {
	case best != nil && own.Budget == 0:
		return fmt.Sprintf("Set a budget of %d tokens, at which %.3f of the references are typed", best.Budget, best.Typed)
	case best != nil:
		return fmt.Sprintf("Raise the budget to %d tokens, at which %.3f of the references are typed", best.Budget, best.Typed)
	case own.Budget == 0:
		return "Set a budget; --budget 256 measures one"
	}
	return fmt.Sprintf("Raise the budget; --budget %d,%d measures a larger one beside this", own.Budget, 2*own.Budget)
}

// summaryAdvice returns the advice for the set with the smallest share of references typed.
func summaryAdvice(reports []fileReport) string {
	var worst *fileReport
	for i := range reports {
		if r := &reports[i]; r.own().References >= evaluation.FewReferences && (worst == nil || r.own().Typed < worst.own().Typed) {
			worst = r
		}
	}
	if worst == nil {
		return ""
	}
	return fmt.Sprintf("Least is shown in %s. %s", printable(worst.Traces), advice(worst.own(), worst.Methods, worst.hasTools))
}
