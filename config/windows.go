package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Window is a time of the week in which the agent may remove.
type Window struct {
	// Days on which it begins: Mon, Tue, Wed, Thu, Fri, Sat, Sun. Default: every day.
	Days []string `json:"days,omitempty"`
	// From is when it begins, as "22:00". Default: 00:00.
	From string `json:"from,omitempty"`
	// To is when it ends, on the next day if that is not after From. Default: 24:00.
	To string `json:"to,omitempty"`
	// Zone is the time zone of From and To, as "Europe/Berlin". Default: UTC.
	Zone string `json:"zone,omitempty"`
}

// Calendar is when the agent may remove.
type Calendar []span

type span struct {
	days     [7]bool // by time.Weekday
	from, to int     // minutes of the day, by the wall clock of the zone
	zone     *time.Location
}

// Open reports whether t is in a window, or there is none.
func (c Calendar) Open(t time.Time) bool {
	for _, s := range c {
		if s.holds(t) {
			return true
		}
	}
	return len(c) == 0
}

// holds goes by the wall clock: where it is set forward or back for the
// summer, the window still begins and ends as the operator wrote.
func (s span) holds(t time.Time) bool {
	t = t.In(s.zone)
	at := t.Hour()*60 + t.Minute()
	today, yesterday := s.days[t.Weekday()], s.days[(t.Weekday()+6)%7]
	if s.from < s.to {
		return today && s.from <= at && at < s.to
	}
	return today && s.from <= at || yesterday && at < s.to
}

// Calendar understands the windows of the configuration.
func (c Config) Calendar() (Calendar, error) {
	var (
		calendar Calendar
		errs     []error
	)
	for i, w := range c.Windows {
		s, err := w.span()
		if err != nil {
			errs = append(errs, fmt.Errorf("windows[%d]: %w", i, err))
		}
		calendar = append(calendar, s)
	}
	return calendar, errors.Join(errs...)
}

func (w Window) span() (s span, err error) {
	if s.days, err = days(w.Days); err != nil {
		return s, err
	}
	if s.from, err = clock(w.From, 0); err != nil {
		return s, fmt.Errorf("from: %w", err)
	}
	if s.to, err = clock(w.To, endOfDay); err != nil {
		return s, fmt.Errorf("to: %w", err)
	}
	if s.from == s.to {
		return s, fmt.Errorf("it begins and ends at %s: leave both out for the whole day", w.From)
	}
	if s.zone, err = time.LoadLocation(w.Zone); err != nil || w.Zone == "Local" {
		return s, fmt.Errorf("zone: %q is not the name of a time zone as in \"Europe/Berlin\" or \"UTC\"", w.Zone)
	}
	return s, nil
}

func days(names []string) (set [7]bool, err error) {
	for i := range set {
		set[i] = len(names) == 0
	}
	for _, name := range names {
		day := slices.Index(weekdays, name)
		if day < 0 {
			return set, fmt.Errorf("days: %q is not one of %s", name, strings.Join(weekdays, ", "))
		}
		set[day] = true
	}
	return set, nil
}

// weekdays are in the order of time.Weekday.
var weekdays = []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

const endOfDay = 24 * 60

// clock reads a time of day as minutes.
func clock(s string, empty int) (int, error) {
	switch s {
	case "":
		return empty, nil
	case "24:00":
		return endOfDay, nil
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time of day as in \"22:00\"", s)
	}
	return t.Hour()*60 + t.Minute(), nil
}
